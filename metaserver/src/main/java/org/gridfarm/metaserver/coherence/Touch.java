package org.gridfarm.metaserver.coherence;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.DelegationImage;
import org.jspecify.annotations.Nullable;

/**
 * What a change takes away from those who hold it: the attributes of an inode, or in a directory
 * one name (and with it the listing).
 *
 * @param name null: the attributes of {@code inode}; empty: everything in the directory {@code
 *     inode}; else the entry of that name
 * @param origin the session that caused it, 0 if none; it keeps what it holds
 */
public record Touch(long inode, @Nullable ByteString name, long origin) {
    /** Takes the touches of a change. */
    public interface Sink {
        void touch(Touch touch);
    }

    /** The holding that this takes away: see {@link Keys}. */
    long held() {
        return name == null ? Keys.attributes(inode) : Keys.directory(inode);
    }

    public static void of(Change change, Sink sink) {
        long origin = change.getOrigin();
        switch (change.getChangeCase()) {
            case INODE -> sink.touch(new Touch(change.getInode().getInode(), null, origin));
            case INODE_GONE -> {
                sink.touch(new Touch(change.getInodeGone(), null, origin));
                sink.touch(new Touch(change.getInodeGone(), ByteString.EMPTY, origin));
            }
            case DIRENT ->
                    sink.touch(
                            new Touch(
                                    change.getDirent().getParent(),
                                    change.getDirent().getName(),
                                    origin));
            case DIRENT_GONE ->
                    sink.touch(
                            new Touch(
                                    change.getDirentGone().getParent(),
                                    change.getDirentGone().getName(),
                                    origin));
            case XATTR -> sink.touch(new Touch(change.getXattr().getInode(), null, origin));
            case XATTR_GONE ->
                    sink.touch(new Touch(change.getXattrGone().getInode(), null, origin));
            case WRITING -> sink.touch(new Touch(change.getWriting().getInode(), null, origin));
            case DELEGATION -> {
                DelegationImage image = change.getDelegation();
                if (!image.getExisted()) return; // nobody knows anything of it yet
                sink.touch(new Touch(image.getDirectory(), null, origin));
                sink.touch(new Touch(image.getDirectory(), ByteString.EMPTY, origin));
                for (long file : image.getFilesList()) sink.touch(new Touch(file, null, origin));
            }
            case REPLICA,
                    REPLICA_GONE,
                    NODE,
                    NODE_GONE,
                    QUOTA,
                    SETTING,
                    ORPHAN,
                    ORPHAN_GONE,
                    SESSION_GONE,
                    SESSION,
                    ACCOUNT,
                    CHANGE_NOT_SET -> {}
        }
    }
}
