package org.gridfarm.client.core.nio;

import org.gridfarm.client.core.AttributeChange;
import org.gridfarm.client.core.FarmFile;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.NewMode;
import org.gridfarm.client.core.metadata.RenameFlag;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.CopyOption;
import java.nio.file.LinkOption;
import java.nio.file.ProviderMismatchException;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** One copy or move from path to path within a farm. */
final class FarmCopies {
    private static final int SET_ID_BITS = 06000;
    private static final String USER_ATTRIBUTES = "user.";
    private static final List<String> ACLS =
            List.of("system.posix_acl_access", "system.posix_acl_default");

    private final Gridfarm farm;
    private final FarmPath source;
    private final FarmPath target;
    private final List<CopyOption> options;

    FarmCopies(FarmNioPath source, FarmNioPath target, CopyOption... options) {
        if (source.getFileSystem() != target.getFileSystem()) {
            throw new ProviderMismatchException(source + " and " + target + " are of two farms");
        }
        this.farm = source.farm();
        this.source = source.farmPath();
        this.target = target.farmPath();
        this.options = List.of(options);
    }

    private void requireOnly(Set<CopyOption> known, String what) {
        for (CopyOption option : options) {
            if (!known.contains(Objects.requireNonNull(option))) {
                throw new UnsupportedOperationException(what + " with " + option);
            }
        }
    }

    private boolean replaces() {
        return options.contains(StandardCopyOption.REPLACE_EXISTING);
    }

    // ---- copy

    /** A copy has the permissions of its source less the umask; COPY_ATTRIBUTES takes all along. */
    void copy() throws IOException {
        requireOnly(
                Set.of(
                        StandardCopyOption.REPLACE_EXISTING,
                        StandardCopyOption.COPY_ATTRIBUTES,
                        LinkOption.NOFOLLOW_LINKS),
                "copy");
        boolean follow = !options.contains(LinkOption.NOFOLLOW_LINKS);
        FileInfo from = follow ? farm.stat(source) : farm.statLink(source);
        FileInfo there = statTarget();
        if (there != null && there.inode() == from.inode()) {
            return;
        }
        if (there != null && !replaces()) {
            throw new FarmException(ErrorKind.ALREADY_EXISTS, "copy", target.toString());
        }
        if (there != null) {
            farm.delete(target);
        }
        boolean all = options.contains(StandardCopyOption.COPY_ATTRIBUTES);
        int bits = from.mode() & 0777;
        // Until its owner and ACL are as those of the source nobody else is to get at a copy.
        NewMode mode = all ? NewMode.exactly(bits & 0700) : NewMode.masked(bits);
        switch (from.type()) {
            case DIRECTORY -> farm.mkdir(target, mode);
            case SYMLINK -> farm.symlink(farm.readLink(source), target);
            case REGULAR -> copyContent(mode);
            default ->
                    throw new FarmException(
                            ErrorKind.UNSUPPORTED,
                            "copy",
                            source.toString(),
                            "neither file nor directory nor link");
        }
        if (all) {
            copyAttributes(from);
        }
    }

    private @Nullable FileInfo statTarget() {
        try {
            return farm.statLink(target);
        } catch (FarmException e) {
            if (e.kind() == ErrorKind.NOT_FOUND) {
                return null;
            }
            throw e;
        }
    }

    /** What was not copied whole is removed. */
    private void copyContent(NewMode mode) {
        try (FarmFile from = farm.open(source, OpenFlags.READ)) {
            FarmFile to = farm.create(target, OpenFlags.WRITE, true, mode, false);
            try (to) {
                farm.copy(from, to);
            } catch (FarmException e) {
                try {
                    farm.delete(target);
                } catch (FarmException left) {
                    e.addSuppressed(left);
                }
                throw e;
            }
        }
    }

    /** Times last, since the rest moves them; of a link only owner and times. */
    private void copyAttributes(FileInfo from) {
        AttributeChange times = AttributeChange.NONE.withTimes(from.accessed(), from.modified());
        boolean owned = takesOwner(from);
        if (from.isSymbolicLink()) {
            farm.change(target, false, times);
            return;
        }
        for (String name : farm.listXattr(source)) {
            if (name.startsWith(USER_ATTRIBUTES)) {
                copyXattr(name);
            }
        }
        if (from.attributes().getHasAcl()) {
            ACLS.forEach(this::copyXattr);
        }
        farm.change(
                target,
                false,
                times.withMode(from.mode() & (owned ? 07777 : 07777 & ~SET_ID_BITS)));
    }

    private void copyXattr(String name) {
        farm.getXattr(source, name).ifPresent(value -> farm.setXattr(target, name, value));
    }

    /** Only an administrator gives files away: to everybody else the copy is his own. */
    private boolean takesOwner(FileInfo from) {
        FileInfo to = farm.statLink(target);
        if (to.uid() == from.uid() && to.gid() == from.gid()) {
            return true;
        }
        try {
            farm.change(target, false, AttributeChange.NONE.withOwner(from.uid(), from.gid()));
            return true;
        } catch (FarmException e) {
            if (e.kind() == ErrorKind.NOT_PERMITTED || e.kind() == ErrorKind.ACCESS_DENIED) {
                return false;
            }
            throw e;
        }
    }

    // ---- move

    /** Always in one step of the farm; without REPLACE_EXISTING never over what is there. */
    void move() throws IOException {
        requireOnly(
                Set.of(
                        StandardCopyOption.REPLACE_EXISTING,
                        StandardCopyOption.ATOMIC_MOVE,
                        LinkOption.NOFOLLOW_LINKS),
                "move");
        boolean atomic = options.contains(StandardCopyOption.ATOMIC_MOVE);
        try {
            farm.rename(
                    source,
                    target,
                    atomic || replaces() ? Set.of() : Set.of(RenameFlag.NO_REPLACE));
        } catch (FarmException e) {
            switch (e.kind()) {
                case ALREADY_EXISTS -> {
                    if (!isSame()) {
                        throw e.about("move", target.toString());
                    }
                }
                case NOT_EMPTY -> throw e.about("move", target.toString());
                case IS_A_DIRECTORY, NOT_A_DIRECTORY -> replaceOther(e, atomic);
                default -> throw e;
            }
        }
    }

    private boolean isSame() {
        return farm.statLink(source).inode() == farm.statLink(target).inode();
    }

    /** A file over an empty directory or the other way round takes two steps. */
    private void replaceOther(FarmException refusal, boolean atomic) {
        FileInfo from = farm.statLink(source);
        FileInfo there = statTarget();
        if (atomic || !replaces() || there == null || from.isDirectory() == there.isDirectory()) {
            throw refusal;
        }
        farm.delete(target);
        farm.rename(source, target);
    }
}
