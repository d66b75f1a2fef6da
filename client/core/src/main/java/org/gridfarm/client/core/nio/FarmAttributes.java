package org.gridfarm.client.core.nio;

import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.wire.Credentials;

import java.nio.file.AccessMode;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.util.EnumSet;
import java.util.Set;

/**
 * What is known of a file, as {@code java.nio.file} asks for it. Owner and group are {@link
 * FarmPrincipals}.
 */
record FarmAttributes(FileInfo info) implements PosixFileAttributes {
    /** In the order of the mode's bits from the highest. */
    private static final PosixFilePermission[] BITS = PosixFilePermission.values();

    static boolean permits(Gridfarm farm, FileInfo info, AccessMode mode) {
        Credentials self = farm.metadata().self();
        boolean ofGroup = self.getGid() == info.gid() || self.getGroupsList().contains(info.gid());
        int shift = self.getUid() == info.uid() ? 6 : ofGroup ? 3 : 0;
        int wanted =
                switch (mode) {
                    case READ -> 4;
                    case WRITE -> 2;
                    case EXECUTE -> 1;
                };
        return self.getUid() == 0 || ((info.mode() >> shift) & wanted) != 0;
    }

    static int mode(Set<PosixFilePermission> permissions) {
        int mode = 0;
        for (PosixFilePermission permission : permissions) {
            mode |= 0400 >> permission.ordinal();
        }
        return mode;
    }

    /** Refuses with a ClassCastException what is no permission, as the JDK does. */
    static Set<PosixFilePermission> permissions(Set<?> values) {
        Set<PosixFilePermission> set = EnumSet.noneOf(PosixFilePermission.class);
        for (Object value : values) {
            set.add((PosixFilePermission) value);
        }
        return set;
    }

    @Override
    public Set<PosixFilePermission> permissions() {
        Set<PosixFilePermission> set = EnumSet.noneOf(PosixFilePermission.class);
        for (PosixFilePermission permission : BITS) {
            if ((info.mode() & (0400 >> permission.ordinal())) != 0) {
                set.add(permission);
            }
        }
        return set;
    }

    @Override
    public UserPrincipal owner() {
        return FarmPrincipals.user(info.uid());
    }

    @Override
    public GroupPrincipal group() {
        return FarmPrincipals.group(info.gid());
    }

    @Override
    public FileTime lastModifiedTime() {
        return FileTime.from(info.modified());
    }

    @Override
    public FileTime lastAccessTime() {
        return FileTime.from(info.accessed());
    }

    /** When it was made; of what is older than the farm's keeping of that, the last change. */
    @Override
    public FileTime creationTime() {
        return FileTime.from(info.created().orElseGet(info::modified));
    }

    @Override
    public boolean isRegularFile() {
        return info.isRegularFile();
    }

    @Override
    public boolean isDirectory() {
        return info.isDirectory();
    }

    @Override
    public boolean isSymbolicLink() {
        return info.isSymbolicLink();
    }

    @Override
    public boolean isOther() {
        return !isRegularFile() && !isDirectory() && !isSymbolicLink();
    }

    @Override
    public long size() {
        return info.size();
    }

    @Override
    public Object fileKey() {
        return info.inode();
    }
}
