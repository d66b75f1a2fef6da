package org.gridfarm.client.hadoop;

import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclEntryScope;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.gridfarm.client.Account;
import org.gridfarm.client.FileStatus;
import org.gridfarm.client.Gridfarm;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** The calls of FileSystem about ACLs, on the two attributes that the farm keeps them in. */
final class Acls {
    private static final String ACCESS = "system.posix_acl_access";
    private static final String DEFAULT = "system.posix_acl_default";

    private final Gridfarm farm;

    Acls(Gridfarm farm) {
        this.farm = farm;
    }

    private interface Change {
        PosixAcl of(PosixAcl before) throws IOException;
    }

    void modify(String path, List<AclEntry> spec) throws IOException {
        change(path, spec, AclEntryScope.ACCESS, before -> before.with(in(spec, false)));
        change(path, spec, AclEntryScope.DEFAULT, before -> before.with(in(spec, true)));
    }

    void remove(String path, List<AclEntry> spec) throws IOException {
        for (AclEntryScope scope : AclEntryScope.values()) {
            List<AclEntry> own = in(spec, scope == AclEntryScope.DEFAULT);
            change(path, spec, scope, before -> before.without(own, scope));
        }
    }

    /** Those of a scope that the new ones do not name stay. */
    void replace(String path, List<AclEntry> spec) throws IOException {
        change(path, spec, AclEntryScope.ACCESS, before -> PosixAcl.empty().with(in(spec, false)));
        change(path, spec, AclEntryScope.DEFAULT, before -> PosixAcl.empty().with(in(spec, true)));
    }

    void removeDefault(String path) {
        if (farm.getXattr(path, DEFAULT).isPresent()) {
            farm.removeXattr(path, DEFAULT);
        }
    }

    void removeAll(String path) throws IOException {
        put(path, AclEntryScope.ACCESS, access(path, farm.stat(path)).base());
        removeDefault(path);
    }

    private void change(String path, List<AclEntry> spec, AclEntryScope scope, Change change)
            throws IOException {
        if (in(spec, scope == AclEntryScope.DEFAULT).isEmpty()) {
            return;
        }
        FileStatus status = farm.stat(path);
        PosixAcl access = access(path, status);
        if (scope == AclEntryScope.ACCESS) {
            put(path, scope, change.of(access).completed(access));
        } else if (status.isDirectory()) {
            PosixAcl changed = change.of(defaults(path));
            put(path, scope, changed.isEmpty() ? changed : changed.completed(access));
        } else {
            throw new IOException(path + " is not a directory: it has no default ACL");
        }
    }

    private static List<AclEntry> in(List<AclEntry> spec, boolean defaults) {
        return spec.stream()
                .filter(entry -> (entry.getScope() == AclEntryScope.DEFAULT) == defaults)
                .toList();
    }

    private void put(String path, AclEntryScope scope, PosixAcl acl) {
        if (scope == AclEntryScope.ACCESS) {
            farm.setXattr(path, ACCESS, acl.value());
        } else if (acl.isEmpty()) {
            removeDefault(path);
        } else {
            farm.setXattr(path, DEFAULT, acl.value());
        }
    }

    private PosixAcl access(String path, FileStatus status) throws IOException {
        Optional<byte[]> value = farm.getXattr(path, ACCESS);
        return value.isPresent() ? PosixAcl.ofValue(value.get()) : PosixAcl.ofMode(status.mode());
    }

    private PosixAcl defaults(String path) throws IOException {
        Optional<byte[]> value = farm.getXattr(path, DEFAULT);
        return value.isPresent() ? PosixAcl.ofValue(value.get()) : PosixAcl.empty();
    }

    AclStatus status(String path) throws IOException {
        FileStatus status = farm.stat(path);
        AclStatus.Builder told =
                new AclStatus.Builder()
                        .owner(Account.userName(status.uid()))
                        .group(Account.groupName(status.gid()))
                        .stickyBit((status.mode() & 01000) != 0)
                        .setPermission(new FsPermission((short) (status.mode() & 01777)));
        PosixAcl access = access(path, status);
        if (access.isExtended()) {
            told.addEntries(access.entries(AclEntryScope.ACCESS));
        }
        if (status.isDirectory()) {
            told.addEntries(defaults(path).entries(AclEntryScope.DEFAULT));
        }
        return told.build();
    }

    /** Of this client's user, whom the farm knows better than Hadoop does. */
    boolean permits(String path, FsAction wanted) throws IOException {
        FileStatus status = farm.stat(path);
        Account who = farm.account();
        if (who.uid() == 0) {
            boolean runs = status.isDirectory() || (status.mode() & 0111) != 0;
            return runs || !wanted.implies(FsAction.EXECUTE);
        }
        return access(path, status).permits(who, status.uid(), status.gid(), wanted);
    }
}
