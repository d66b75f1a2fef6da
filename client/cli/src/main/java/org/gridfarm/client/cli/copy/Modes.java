package org.gridfarm.client.cli.copy;

import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;

/** Permission bits as numbers, 0777. */
public final class Modes {
    private static final int TOP = 0400;

    private Modes() {}

    public static int of(Set<PosixFilePermission> permissions) {
        int mode = 0;
        for (PosixFilePermission permission : permissions) {
            mode |= TOP >> permission.ordinal();
        }
        return mode;
    }

    public static Set<PosixFilePermission> permissions(int mode) {
        Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
        for (PosixFilePermission permission : PosixFilePermission.values()) {
            if ((mode & TOP >> permission.ordinal()) != 0) {
                permissions.add(permission);
            }
        }
        return permissions;
    }
}
