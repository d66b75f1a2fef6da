package org.gridfarm.test.faults.meta;

import com.google.protobuf.ByteString;

import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.metadata.DirectoryPage;
import org.gridfarm.client.core.metadata.Found;
import org.gridfarm.client.core.metadata.Metadata;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.CreateFile;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.DirectoryEntry;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.protocol.wire.LockKind;
import org.gridfarm.protocol.wire.LockRequest;
import org.gridfarm.protocol.wire.SetAttributes;
import org.gridfarm.test.linear.Tree.Call;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The client library with its leased cache. Works by inode number and name, so that every call is
 * one question to one server or one look into the cache.
 */
final class LibraryActor implements Actor {
    private static final int PAGE = 1000;

    private final Gridfarm farm;
    private final Metadata metadata;
    private final Credentials self;
    private final Map<String, Long> inodes = new HashMap<>();

    LibraryActor(ClientConfig config, String name) {
        farm = Gridfarm.open(config, name);
        metadata = farm.metadata();
        self = metadata.self();
    }

    /** Makes the directory and what every history finds there. */
    void furnish(String directory, Iterable<Call> calls) {
        inodes.clear();
        inodes.put("/", metadata.root());
        surely(new Call.MakeDirectory("/" + directory));
        enter(directory);
        calls.forEach(this::surely);
    }

    /** Until it is known to be done: what was asked while a server died may have been. */
    private void surely(Call call) {
        String answer = perform(call);
        boolean unclear = false;
        while (answer == null) {
            unclear = true;
            answer = perform(call);
        }
        if (!answer.equals("ok") && !(unclear && answer.equals("EEXIST"))) {
            throw new IllegalStateException(call + ": " + answer);
        }
    }

    @Override
    public void enter(String directory) {
        inodes.clear();
        inodes.put("/", inode(metadata.root(), directory));
    }

    private long inode(long parent, String name) {
        Found found = done(metadata.lookup(self, parent, name(name)));
        Attributes attributes = found.attributes();
        if (attributes == null) {
            throw new FarmException(ErrorKind.NOT_FOUND, "lookup", name);
        }
        return attributes.getInode();
    }

    /** Of what is never renamed or removed. */
    private long inode(String path) {
        Long known = inodes.get(path);
        if (known == null) {
            known = inode(parent(path), last(path));
            inodes.put(path, known);
        }
        return known;
    }

    private long parent(String path) {
        int slash = path.lastIndexOf('/');
        return inode(slash == 0 ? "/" : path.substring(0, slash));
    }

    private static String last(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private static Name name(String text) {
        return Name.of(text.getBytes(StandardCharsets.UTF_8));
    }

    private static <T> T done(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            throw FarmException.of(e, "call", "");
        }
    }

    @Override
    public boolean isOneInstant() {
        return true;
    }

    @Override
    public @Nullable String perform(Call call) {
        try {
            return answer(call);
        } catch (FarmException e) {
            return definite(call.getClass().getSimpleName(), e);
        }
    }

    private static @Nullable String definite(String call, FarmException e) {
        return e.kind() == ErrorKind.NOT_LEADER
                        || e.kind() == ErrorKind.OVERLOADED
                        || e.kind() == ErrorKind.NOT_READY
                ? null
                : Words.ofErrno("library " + call, e.kind().errno());
    }

    private String answer(Call call) {
        switch (call) {
            case Call.Create(String path, boolean exclusive) -> {
                return create(path, exclusive);
            }
            case Call.MakeDirectory(String path) ->
                    done(metadata.mkdir(self, parent(path), name(last(path)), 0755, 0));
            case Call.Unlink(String path) ->
                    done(metadata.unlink(self, parent(path), name(last(path))));
            case Call.RemoveDirectory(String path) ->
                    done(metadata.rmdir(self, parent(path), name(last(path))));
            case Call.Rename(String from, String to) ->
                    done(
                            metadata.rename(
                                    self,
                                    parent(from),
                                    name(last(from)),
                                    parent(to),
                                    name(last(to)),
                                    Set.of()));
            case Call.RenameNew(String from, String to) ->
                    throw new UnsupportedOperationException("only kernels do: " + call);
            case Call.Link(String from, String to) ->
                    done(metadata.link(self, inode(from), parent(to), name(last(to))));
            case Call.ChangeMode(String path, int mode) ->
                    done(
                            metadata.setAttributes(
                                    self,
                                    SetAttributes.newBuilder()
                                            .setInode(inode(path))
                                            .setMode(mode)
                                            .build()));
            case Call.Stat(String path) -> {
                return describe(look(path), true);
            }
            case Call.Kind(String path) -> {
                return describe(look(path), false);
            }
            case Call.List(String path) -> {
                return list(path);
            }
        }
        return "ok";
    }

    private String create(String path, boolean exclusive) {
        CreateFile file =
                CreateFile.newBuilder()
                        .setParent(parent(path))
                        .setName(bytes(path))
                        .setMode(0644)
                        .setExclusive(exclusive)
                        .build();
        // Without a wish to open it, what is there is told whatever it is.
        Attributes made = done(metadata.create(self, file)).getAttributes();
        return made.getType() == FileType.DIRECTORY ? "EISDIR" : "ok";
    }

    private static ByteString bytes(String path) {
        return ByteString.copyFromUtf8(last(path));
    }

    private @Nullable Attributes look(String path) {
        return done(metadata.lookup(self, parent(path), name(last(path)))).attributes();
    }

    private static String describe(@Nullable Attributes found, boolean full) {
        if (found == null) {
            return "ENOENT";
        }
        boolean directory = found.getType() == FileType.DIRECTORY;
        if (!full) {
            return directory ? "dir" : "file";
        }
        return directory
                ? "dir %o".formatted(found.getMode() & 07777)
                : "file %o %d".formatted(found.getMode() & 07777, found.getNlink());
    }

    private String list(String path) {
        DirectoryPage page = done(metadata.list(self, inode(path), 0, PAGE, false));
        TreeSet<String> names = new TreeSet<>();
        for (DirectoryEntry entry : page.entries()) {
            names.add(entry.getName().toStringUtf8());
        }
        return String.join(",", names);
    }

    @Override
    public @Nullable String takeLock() {
        return lock(LockKind.EXCLUSIVE_LOCK);
    }

    @Override
    public @Nullable String releaseLock() {
        return lock(LockKind.UNLOCK);
    }

    private @Nullable String lock(LockKind kind) {
        try {
            LockRequest request =
                    LockRequest.newBuilder()
                            .setInode(inode(Scene.LOCK))
                            .setOwner(1)
                            .setFlock(true)
                            .setKind(kind)
                            .setEnd(Long.MAX_VALUE)
                            .build();
            return done(metadata.lock(request)).getGranted() ? "ok" : "EAGAIN";
        } catch (FarmException e) {
            return definite(kind.toString(), e);
        }
    }

    @Override
    public void leave() {
        releaseLock();
    }

    @Override
    public void close() {
        farm.close();
    }
}
