package org.gridfarm.client.core.nio;

import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.name.FarmPath;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.util.HashSet;
import java.util.Set;

/**
 * Reads and changes the attributes of one path. Principals are numbers, as {@link FarmAttributes}
 * gives them.
 */
final class FarmAttributeView implements PosixFileAttributeView {
    private final Gridfarm farm;
    private final FarmPath path;
    private final boolean follow;

    FarmAttributeView(Gridfarm farm, FarmPath path, boolean follow) {
        this.farm = farm;
        this.path = path;
        this.follow = follow;
    }

    @Override
    public String name() {
        return "posix";
    }

    @Override
    public FarmAttributes readAttributes() throws IOException {
        return FarmFileSystemProvider.call(
                () -> new FarmAttributes(follow ? farm.stat(path) : farm.statLink(path)));
    }

    @Override
    public UserPrincipal getOwner() throws IOException {
        return readAttributes().owner();
    }

    @Override
    public void setOwner(UserPrincipal owner) throws IOException {
        FarmFileSystemProvider.run(
                () -> farm.chown(path, Integer.parseUnsignedInt(owner.getName()), null));
    }

    @Override
    public void setGroup(GroupPrincipal group) throws IOException {
        FarmFileSystemProvider.run(
                () -> farm.chown(path, null, Integer.parseUnsignedInt(group.getName())));
    }

    @Override
    public void setPermissions(Set<PosixFilePermission> permissions) throws IOException {
        FarmFileSystemProvider.run(() -> farm.chmod(path, FarmAttributes.mode(permissions)));
    }

    @Override
    public void setTimes(
            @Nullable FileTime modified, @Nullable FileTime accessed, @Nullable FileTime created)
            throws IOException {
        FarmFileSystemProvider.run(() ->
                farm.setTimes(
                        path,
                        accessed == null ? null : accessed.toInstant(),
                        modified == null ? null : modified.toInstant()));
    }

    void set(String name, Object value) throws IOException {
        switch (name.substring(name.indexOf(':') + 1)) {
            case "lastModifiedTime" -> setTimes((FileTime) value, null, null);
            case "lastAccessTime" -> setTimes(null, (FileTime) value, null);
            case "permissions" -> setPermissions(permissions(value));
            case "owner" -> setOwner((UserPrincipal) value);
            case "group" -> setGroup((GroupPrincipal) value);
            default -> throw new UnsupportedOperationException("attribute " + name);
        }
    }

    private static Set<PosixFilePermission> permissions(Object value) {
        Set<PosixFilePermission> set = new HashSet<>();
        for (Object permission : (Set<?>) value) {
            set.add((PosixFilePermission) permission);
        }
        return set;
    }
}
