package org.gridfarm.client.hadoop;

import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.gridfarm.client.Account;
import org.jspecify.annotations.Nullable;

import java.time.Instant;

/** What the farm tells of a name, with what Hadoop has no place for. */
final class GridfarmFileStatus extends FileStatus {
    private static final long serialVersionUID = 1;
    private static final int PERMISSIONS = 01777; // Hadoop knows no set-user and set-group bits

    private final long inode;
    private final Instant modified;

    private GridfarmFileStatus(
            org.gridfarm.client.FileStatus status, long blockSize, @Nullable Path link, Path path) {
        super(
                status.isDirectory() ? 0 : status.size(),
                status.isDirectory(),
                status.isDirectory() ? 0 : status.replicas(),
                status.isDirectory() ? 0 : blockSize,
                status.modified().toEpochMilli(),
                status.accessed().toEpochMilli(),
                new FsPermission((short) (status.mode() & PERMISSIONS)),
                Account.userName(status.uid()),
                Account.groupName(status.gid()),
                link,
                path);
        inode = status.inode();
        modified = status.modified();
    }

    /** Of what a link leads to, under the link's name, or of anything else. */
    static GridfarmFileStatus of(org.gridfarm.client.FileStatus status, long blockSize, Path path) {
        return new GridfarmFileStatus(status, blockSize, null, path);
    }

    /** Of the link itself. */
    static GridfarmFileStatus ofLink(
            org.gridfarm.client.FileStatus status, long blockSize, Path link, Path path) {
        return new GridfarmFileStatus(status, blockSize, link, path);
    }

    long inode() {
        return inode;
    }

    /** More exact than Hadoop's milliseconds. */
    Instant modified() {
        return modified;
    }

    // Names are what statuses are compared by.

    @Override
    public boolean equals(Object other) {
        return super.equals(other);
    }

    @Override
    public int hashCode() {
        return super.hashCode();
    }
}
