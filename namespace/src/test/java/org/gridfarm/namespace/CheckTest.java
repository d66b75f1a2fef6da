package org.gridfarm.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.DirentImage;
import org.gridfarm.protocol.wire.DirentKey;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.protocol.wire.InodeImage;
import org.junit.jupiter.api.Test;

import java.util.List;

/** Damage that a wrong hand in the tables could do: each kind is found, and mended to nothing. */
class CheckTest {
    private final Namespace state = new Namespace();

    CheckTest() {
        Namespace.genesis(1).forEach(state::apply);
        directory(2, Namespace.ROOT, Namespace.LOST_AND_FOUND);
        directory(3, Namespace.ROOT, "d");
        file(4, 3, "f");
        links(Namespace.ROOT, 4);
        assertThat(state.findings(10)).isEmpty();
    }

    private void directory(long inode, long parent, String name) {
        inode(inode, FileType.DIRECTORY, 2, parent);
        entry(parent, name, inode, FileType.DIRECTORY);
    }

    private void file(long inode, long parent, String name) {
        inode(inode, FileType.REGULAR, 1, parent);
        entry(parent, name, inode, FileType.REGULAR);
    }

    private void inode(long inode, FileType type, int nlink, long parent) {
        state.apply(
                Change.newBuilder()
                        .setInode(
                                InodeImage.newBuilder()
                                        .setInode(inode)
                                        .setType(type)
                                        .setMode(0755)
                                        .setNlink(nlink)
                                        .setParent(parent)
                                        .setGeneration(1)
                                        .setVersion(1))
                        .build());
    }

    private void entry(long parent, String name, long inode, FileType type) {
        state.apply(
                Change.newBuilder()
                        .setDirent(
                                DirentImage.newBuilder()
                                        .setParent(parent)
                                        .setName(ByteString.copyFromUtf8(name))
                                        .setInode(inode)
                                        .setType(type)
                                        .setCookie(inode + 10))
                        .build());
    }

    private void noEntry(long parent, String name) {
        state.apply(
                Change.newBuilder()
                        .setDirentGone(
                                DirentKey.newBuilder()
                                        .setParent(parent)
                                        .setName(ByteString.copyFromUtf8(name)))
                        .build());
    }

    private void links(long inode, int count) {
        state.apply(
                Change.newBuilder()
                        .setInode(state.image(inode).toBuilder().setNlink(count))
                        .build());
    }

    private void isMended(String found) {
        assertThat(state.findings(10)).extracting(Finding::what).anyMatch(w -> w.contains(found));
        for (int pass = 0; pass < 10 && !state.findings(10).isEmpty(); pass++) {
            for (Finding finding : state.findings(10)) {
                List.copyOf(finding.mend()).forEach(state::apply);
            }
        }
        assertThat(state.findings(10)).isEmpty();
    }

    @Test
    void wrongLinkCounts() {
        links(4, 7);
        links(3, 9);
        isMended("has link count 7, not 1");
    }

    @Test
    void anEntryWithoutAnInode() {
        entry(3, "ghost", 99, FileType.REGULAR);
        isMended("leads to no inode");
        assertThat(state.peek(3, ByteString.copyFromUtf8("ghost"))).isZero();
    }

    @Test
    void aFileWithoutANameIsFoundAgain() {
        noEntry(3, "f");
        isMended("has no name");
        assertThat(state.peek(2, ByteString.copyFromUtf8("4"))).isEqualTo(4);
    }

    @Test
    void aDirectoryWithoutANameIsFoundAgainWithWhatItHolds() {
        noEntry(Namespace.ROOT, "d");
        links(Namespace.ROOT, 3);
        isMended("has 0 names");
        assertThat(state.peek(2, ByteString.copyFromUtf8("3"))).isEqualTo(3);
        assertThat(state.path(4)).isEqualTo("/lost+found/3/f");
    }

    @Test
    void aDirectoryThatBelievesToBeElsewhere() {
        state.apply(Change.newBuilder().setInode(state.image(3).toBuilder().setParent(2)).build());
        isMended("believes to be in");
        assertThat(state.parent(3)).isEqualTo(Namespace.ROOT);
    }

    @Test
    void aNamedFileThatIsCalledAnOrphan() {
        state.apply(Change.newBuilder().setOrphan(4).build());
        isMended("is called an orphan");
    }
}
