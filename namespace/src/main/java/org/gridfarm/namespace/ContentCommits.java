package org.gridfarm.namespace;

import org.gridfarm.protocol.attributes.WriteTimes;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.wire.CommitContent;
import org.gridfarm.protocol.wire.InodeImage;

/**
 * The inode's part of a commit of content: size, times, digest. Replica rows and chains are the
 * business of who keeps open files.
 */
final class ContentCommits {
    private ContentCommits() {}

    static Decision.Accepted commit(Command c, CommitContent commit) {
        Inode inode = c.inode(commit.getInode());
        if (!inode.isRegular()) {
            throw c.refusal(ErrorKind.INVALID, inode.number);
        }
        if (!c.context.mayWrite(c.session, commit.getHandle(), inode.number)) {
            throw c.refusal(ErrorKind.BAD_HANDLE, inode.number);
        }
        if (commit.getGeneration() != inode.generation) {
            throw c.refusal(ErrorKind.WRONG_GENERATION, inode.number);
        }
        if (commit.getSize() < 0) {
            throw c.refusal(ErrorKind.FILE_TOO_LARGE, inode.number);
        }
        InodeImage.Builder image = c.changed(inode).setSize(commit.getSize()).clearAllocated();
        if (commit.hasAllocated()) {
            image.setAllocated(commit.getAllocated());
        }
        long written = commit.getMtime();
        if (written != 0) {
            image.setMtime(WriteTimes.modified(inode.mtime, inode.ctime, written));
            image.setCtime(WriteTimes.changed(inode.mtime, inode.ctime, written, c.now()));
        } else {
            image.setCtime(inode.ctime); // what changed is older than what is told of it already
        }
        // Of a write before somebody set the mode or a capability it tells nothing.
        if (written > inode.ctime) {
            image.setMode(Privileges.modeWhenWritten(inode, c.who));
            Privileges.dropCapability(c.draft, inode);
        }
        if (commit.getObjectsCount() == 1) {
            image.setDigest(commit.getObjects(0).getDigest());
        } else {
            image.clearDigest();
        }
        return c.accept(inode.number, 0);
    }
}
