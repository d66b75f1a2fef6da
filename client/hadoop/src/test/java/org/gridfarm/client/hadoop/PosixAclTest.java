package org.gridfarm.client.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclEntryScope;
import org.apache.hadoop.fs.permission.FsAction;
import org.gridfarm.client.Account;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;

/** Users and groups by number, which every host knows. */
class PosixAclTest {
    private static final PosixAcl BASE = PosixAcl.ofMode(0640);

    private static List<AclEntry> spec(String text) {
        return AclEntry.parseAclSpec(text, true);
    }

    private static List<AclEntry> access(PosixAcl acl) {
        return acl.entries(AclEntryScope.ACCESS);
    }

    @Test
    void whatIsWrittenIsReadAgain() throws IOException {
        PosixAcl acl = BASE.with(spec("user:4001:r-x,group:4002:-w-,user:4000:rwx"));
        PosixAcl again = PosixAcl.ofValue(acl.value());
        assertThat(access(again)).isEqualTo(access(acl));
        assertThat(again.value()).isEqualTo(acl.value());
        assertThat(acl.value()).hasSize(4 + 8 * 7);
    }

    @Test
    void theMaskIsWhatTheGroupClassMay() throws IOException {
        PosixAcl acl = BASE.with(spec("user:4001:-wx"));
        assertThat(acl.permits(new Account(4001, 1, List.of()), 0, 0, FsAction.EXECUTE)).isTrue();
        PosixAcl said = BASE.with(spec("user:4001:-wx,mask::r--"));
        assertThat(said.permits(new Account(4001, 1, List.of()), 0, 0, FsAction.EXECUTE)).isFalse();
    }

    @Test
    void theFirstEntryThatFitsCounts() throws IOException {
        PosixAcl acl = BASE.with(spec("user:4001:---,group:4002:rw-,other::r--"));
        assertThat(acl.permits(new Account(7, 8, List.of()), 7, 9, FsAction.READ_WRITE)).isTrue();
        assertThat(acl.permits(new Account(4001, 4002, List.of()), 7, 9, FsAction.READ)).isFalse();
        assertThat(acl.permits(new Account(1, 2, List.of(4002)), 7, 9, FsAction.WRITE)).isTrue();
        assertThat(acl.permits(new Account(1, 9, List.of()), 7, 9, FsAction.WRITE)).isFalse();
        assertThat(acl.permits(new Account(1, 2, List.of()), 7, 9, FsAction.READ)).isTrue();
    }

    @Test
    void ofAnAccessAclThePermissionBitsAreNotTold() throws IOException {
        assertThat(access(BASE.with(spec("user:4001:r--"))))
                .isEqualTo(spec("user:4001:r--,group::r--"));
    }

    @Test
    void aDefaultAclTakesFromTheAccessAclWhatItLacks() throws IOException {
        PosixAcl acl = PosixAcl.empty().with(spec("user:4001:rwx")).completed(BASE);
        assertThat(acl.entries(AclEntryScope.DEFAULT))
                .isEqualTo(
                        spec(
                                "default:user::rw-,default:user:4001:rwx,default:group::r--,"
                                        + "default:mask::rwx,default:other::---"));
    }

    @Test
    void whatEachFileNeedsCannotBeRemoved() throws IOException {
        PosixAcl acl = BASE.with(spec("user:4001:r--"));
        assertThatThrownBy(() -> acl.without(spec("user::rw-"), AclEntryScope.ACCESS))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> acl.without(spec("mask::rw-"), AclEntryScope.ACCESS))
                .hasMessageContaining("need a mask");
        assertThat(acl.without(spec("user:4001:r--"), AclEntryScope.ACCESS).isExtended()).isFalse();
    }

    @Test
    void theBaseKeepsWhatTheMaskLeaves() throws IOException {
        PosixAcl acl = PosixAcl.ofMode(0660).with(spec("user:4001:r--,mask::r--"));
        assertThat(acl.base().permits(new Account(1, 9, List.of()), 7, 9, FsAction.WRITE))
                .isFalse();
        assertThat(acl.base().isExtended()).isFalse();
    }

    @Test
    void otherBytesAreRefused() {
        assertThatThrownBy(() -> PosixAcl.ofValue(new byte[3])).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> PosixAcl.ofValue(new byte[] {3, 0, 0, 0}))
                .isInstanceOf(IOException.class);
        byte[] unknown = BASE.value();
        unknown[4] = 0x40;
        assertThatThrownBy(() -> PosixAcl.ofValue(unknown)).hasMessageContaining("unknown entry");
    }
}
