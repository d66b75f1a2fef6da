package org.gridfarm.namespace;

import com.google.protobuf.UnsafeByteOperations;

import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.DirentImage;
import org.gridfarm.protocol.wire.DirentKey;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.XattrImage;
import org.gridfarm.protocol.wire.XattrKey;

import java.util.ArrayList;
import java.util.List;

/**
 * The after-images of one decision while it is being made. An inode touched twice has one image.
 */
final class Draft {
    private final List<InodeImage.Builder> inodes = new ArrayList<>(4);
    private final List<Change> others = new ArrayList<>(4);

    /**
     * The image of the inode after this command, to be changed further; its version grows by one.
     */
    InodeImage.Builder of(Inode inode) {
        for (InodeImage.Builder image : inodes) {
            if (image.getInode() == inode.number) {
                return image;
            }
        }
        InodeImage.Builder image = inode.image().setVersion(inode.version + 1);
        inodes.add(image);
        return image;
    }

    /** A new inode. */
    void born(InodeImage.Builder image) {
        inodes.add(image);
    }

    void entry(long directory, byte[] name, long inode, FileType type, long cookie) {
        others.add(
                Change.newBuilder()
                        .setDirent(
                                DirentImage.newBuilder()
                                        .setParent(directory)
                                        .setName(UnsafeByteOperations.unsafeWrap(name))
                                        .setInode(inode)
                                        .setType(type)
                                        .setCookie(cookie))
                        .build());
    }

    void entryGone(long directory, byte[] name) {
        others.add(
                Change.newBuilder()
                        .setDirentGone(
                                DirentKey.newBuilder()
                                        .setParent(directory)
                                        .setName(UnsafeByteOperations.unsafeWrap(name)))
                        .build());
    }

    void xattr(long inode, String name, byte[] value) {
        xattr(inode, name.getBytes(java.nio.charset.StandardCharsets.US_ASCII), value);
    }

    void xattr(long inode, byte[] name, byte[] value) {
        others.add(
                Change.newBuilder()
                        .setXattr(
                                XattrImage.newBuilder()
                                        .setInode(inode)
                                        .setName(UnsafeByteOperations.unsafeWrap(name))
                                        .setValue(UnsafeByteOperations.unsafeWrap(value)))
                        .build());
    }

    void xattrGone(long inode, byte[] name) {
        others.add(
                Change.newBuilder()
                        .setXattrGone(
                                XattrKey.newBuilder()
                                        .setInode(inode)
                                        .setName(UnsafeByteOperations.unsafeWrap(name)))
                        .build());
    }

    void orphan(long inode) {
        others.add(Change.newBuilder().setOrphan(inode).build());
    }

    void orphanGone(long inode) {
        others.add(Change.newBuilder().setOrphanGone(inode).build());
    }

    /** The inode goes with this command; an image of it made earlier is dropped. */
    void gone(long inode) {
        inodes.removeIf(image -> image.getInode() == inode);
        others.add(Change.newBuilder().setInodeGone(inode).build());
    }

    /** Inodes first, so that names find them. */
    List<Change> changes() {
        List<Change> changes = new ArrayList<>(inodes.size() + others.size());
        for (InodeImage.Builder image : inodes) {
            changes.add(Change.newBuilder().setInode(image).build());
        }
        changes.addAll(others);
        return changes;
    }
}
