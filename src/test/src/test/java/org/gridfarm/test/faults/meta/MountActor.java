package org.gridfarm.test.faults.meta;

import org.gridfarm.test.linear.Tree.Call;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.TreeSet;
import java.util.stream.Stream;

/** A mount, through system calls: the kernel's caches take part. */
final class MountActor implements Actor {
    private final Path mount;
    private Path directory;
    private int descriptor = -1;

    MountActor(Path mount) {
        this.mount = mount;
        this.directory = mount;
    }

    @Override
    public void enter(String name) {
        directory = mount.resolve(name);
    }

    private Path at(String path) {
        return path.equals("/") ? directory : directory.resolve(path.substring(1));
    }

    /**
     * stat is a lookup by the kernel, then the attributes; a rename that may replace is done by the
     * kernel alone, and does nothing, when it has seen the same file under both names, one after
     * the other.
     */
    @Override
    public boolean isOneInstant() {
        return false;
    }

    @Override
    public @Nullable String perform(Call call) {
        return switch (call) {
            case Call.Create(String path, boolean exclusive) -> create(path, exclusive);
            case Call.MakeDirectory(String path) -> word("mkdir", Syscalls.mkdir(at(path), 0755));
            case Call.Unlink(String path) -> word("unlink", Syscalls.unlink(at(path)));
            case Call.RemoveDirectory(String path) -> word("rmdir", Syscalls.rmdir(at(path)));
            case Call.Rename(String from, String to) ->
                    throw new UnsupportedOperationException("not one instant: " + call);
            case Call.RenameNew(String from, String to) ->
                    word("rename", Syscalls.renameNoReplace(at(from), at(to)));
            case Call.Link(String from, String to) -> word("link", Syscalls.link(at(from), at(to)));
            case Call.ChangeMode(String path, int mode) ->
                    word("chmod", Syscalls.chmod(at(path), mode));
            case Call.Stat(String path) -> stat(path, true);
            case Call.Kind(String path) -> stat(path, false);
            case Call.List(String path) -> list(path);
        };
    }

    private @Nullable String create(String path, boolean exclusive) {
        int flags = Syscalls.O_CREAT | Syscalls.O_RDWR | (exclusive ? Syscalls.O_EXCL : 0);
        int opened = Syscalls.open(at(path), flags, 0644);
        if (opened < 0) {
            return Words.ofErrno("create", -opened);
        }
        Syscalls.close(opened); // that its content cannot be settled is not about its name
        return "ok";
    }

    private static @Nullable String word(String call, int result) {
        return result >= 0 ? "ok" : Words.ofErrno(call, -result);
    }

    private String stat(String path, boolean full) {
        Syscalls.Status seen = new Syscalls.Status();
        int result = Syscalls.stat(at(path), seen);
        if (result < 0) {
            String refusal = Words.ofErrno("stat", -result);
            return refusal == null ? NOTHING_SAID : refusal;
        }
        if (!full) {
            return seen.isDirectory() ? "dir" : "file";
        }
        return seen.isDirectory()
                ? "dir %o".formatted(seen.permissions())
                : "file %o %d".formatted(seen.permissions(), seen.links);
    }

    private String list(String path) {
        try (Stream<Path> entries = Files.list(at(path))) {
            TreeSet<String> names = new TreeSet<>();
            entries.forEach(entry -> names.add(entry.getFileName().toString()));
            return String.join(",", names);
        } catch (NoSuchFileException e) {
            return "ENOENT";
        } catch (IOException | UncheckedIOException e) {
            Words.unclear("list: " + e.getMessage());
            return NOTHING_SAID;
        }
    }

    @Override
    public @Nullable String takeLock() {
        if (descriptor < 0) {
            descriptor = Syscalls.open(at(Scene.LOCK), Syscalls.O_RDONLY, 0);
        }
        return descriptor < 0
                ? NOTHING_SAID
                : word("flock", Syscalls.flock(descriptor, Syscalls.LOCK_EX | Syscalls.LOCK_NB));
    }

    @Override
    public @Nullable String releaseLock() {
        return descriptor < 0
                ? NOTHING_SAID
                : word("flock", Syscalls.flock(descriptor, Syscalls.LOCK_UN));
    }

    @Override
    public void leave() {
        if (descriptor >= 0) {
            Syscalls.close(descriptor);
            descriptor = -1;
        }
    }

    @Override
    public void close() {
        leave();
    }
}
