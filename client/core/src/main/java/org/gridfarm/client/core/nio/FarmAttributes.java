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
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * What is known of a file, as {@code java.nio.file} asks for it. Owner and group are their numbers.
 */
record FarmAttributes(FileInfo info) implements PosixFileAttributes {
    private record Owner(String getName) implements GroupPrincipal {}

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
        return new Owner(Integer.toUnsignedString(info.uid()));
    }

    @Override
    public GroupPrincipal group() {
        return new Owner(Integer.toUnsignedString(info.gid()));
    }

    @Override
    public FileTime lastModifiedTime() {
        return FileTime.from(info.modified());
    }

    @Override
    public FileTime lastAccessTime() {
        return FileTime.from(info.accessed());
    }

    /** The farm keeps no time of birth; the last change is what POSIX has. */
    @Override
    public FileTime creationTime() {
        return lastModifiedTime();
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

    /** For names as in {@code size,lastModifiedTime}, {@code posix:*} or {@code *}. */
    Map<String, Object> named(String names) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("lastModifiedTime", lastModifiedTime());
        all.put("lastAccessTime", lastAccessTime());
        all.put("creationTime", creationTime());
        all.put("size", size());
        all.put("isRegularFile", isRegularFile());
        all.put("isDirectory", isDirectory());
        all.put("isSymbolicLink", isSymbolicLink());
        all.put("isOther", isOther());
        all.put("fileKey", fileKey());
        String wanted = names.substring(names.indexOf(':') + 1);
        if (names.startsWith("posix:")) {
            all.put("permissions", permissions());
            all.put("owner", owner());
            all.put("group", group());
        }
        if (wanted.equals("*")) {
            return all;
        }
        Map<String, Object> some = new LinkedHashMap<>();
        for (String name : wanted.split(",")) {
            Object value = all.get(name);
            if (value == null) {
                throw new IllegalArgumentException("no attribute '" + name + "'");
            }
            some.put(name, value);
        }
        return some;
    }
}
