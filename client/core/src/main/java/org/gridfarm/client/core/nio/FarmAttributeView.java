package org.gridfarm.client.core.nio;

import org.gridfarm.client.core.AttributeChange;
import org.gridfarm.client.core.FileInfo;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.time.Instant;
import java.util.Set;

/** Reads and changes the attributes of one path, or of the link that is at its end. */
final class FarmAttributeView implements PosixFileAttributeView {
    private final String name;
    private final FarmNioPath path;
    private final boolean follow;

    /**
     * @param name basic, owner or posix
     */
    FarmAttributeView(String name, FarmNioPath path, boolean follow) {
        this.name = name;
        this.path = path;
        this.follow = follow;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public FarmAttributes readAttributes() throws IOException {
        return FarmFileSystemProvider.call(() -> new FarmAttributes(info()));
    }

    private FileInfo info() {
        return follow ? path.farm().stat(path.farmPath()) : path.farm().statLink(path.farmPath());
    }

    @Override
    public UserPrincipal getOwner() throws IOException {
        return readAttributes().owner();
    }

    @Override
    public void setOwner(UserPrincipal owner) throws IOException {
        change(AttributeChange.NONE.withOwner(FarmPrincipals.uid(owner), null));
    }

    @Override
    public void setGroup(GroupPrincipal group) throws IOException {
        change(AttributeChange.NONE.withOwner(null, FarmPrincipals.gid(group)));
    }

    /** The set-id and sticky bits go, as with the JDK's own file systems. */
    @Override
    public void setPermissions(Set<PosixFilePermission> permissions) throws IOException {
        change(AttributeChange.NONE.withMode(FarmAttributes.mode(permissions)));
    }

    /** The time of creation cannot be changed; it is left out, as on Linux. */
    @Override
    public void setTimes(
            @Nullable FileTime modified, @Nullable FileTime accessed, @Nullable FileTime created)
            throws IOException {
        if (modified != null || accessed != null) {
            change(AttributeChange.NONE.withTimes(instant(accessed), instant(modified)));
        }
    }

    private static @Nullable Instant instant(@Nullable FileTime time) {
        return time == null ? null : time.toInstant();
    }

    void change(AttributeChange change) throws IOException {
        FarmFileSystemProvider.run(() -> path.farm().change(path.farmPath(), follow, change));
    }
}
