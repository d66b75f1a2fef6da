package org.gridfarm.client.hadoop;

import org.apache.hadoop.fs.permission.FsPermission;

/**
 * What a new name may be used for.
 *
 * @param umask what is taken away; a default ACL of the directory stands in its place
 * @param umaskOfParents the same for directories that are made on the way
 */
record NewPermission(int bits, int umask, int umaskOfParents) {
    private static final int DIRECTORY = 0777;

    static NewPermission masked(FsPermission wanted, FsPermission umask) {
        return new NewPermission(wanted.toShort(), umask.toShort(), umask.toShort());
    }

    /** Of a caller who has taken his umask away. */
    static NewPermission exactly(FsPermission wanted, FsPermission umask) {
        return new NewPermission(wanted.toShort(), 0, umask.toShort());
    }

    NewPermission ofParents() {
        return new NewPermission(DIRECTORY, umaskOfParents, umaskOfParents);
    }
}
