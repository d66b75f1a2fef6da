package org.gridfarm.client.mount;

import org.gridfarm.client.core.metadata.Found;
import org.gridfarm.client.core.metadata.Metadata;
import org.gridfarm.client.core.transfer.FileHandle;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.client.core.transfer.Transfer;
import org.gridfarm.client.mount.fuse.Request;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.FileType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Callers that were told ESTALE because the file they had looked up was gone when they used it. The
 * kernel then walks their path once more, and would tell the program if the next file went as well,
 * which happens where one is replaced all the time. So on the second walk the file that is found is
 * held open until it is used: it stays though its name may go. Where the caller may not open it,
 * and of directories, the attributes are remembered, which are what a local file system would say.
 * Thread-safe.
 */
final class SecondAttempts {
    private static final Logger log = LoggerFactory.getLogger(SecondAttempts.class);

    /**
     * From the refusal until the second walk must have found something: as long as a call lasts.
     */
    private static final Duration WALK_MAX = Duration.ofSeconds(10);

    /** From there until it must have been used. */
    private static final Duration HELD = Duration.ofSeconds(2);

    /** Of one name whose file goes each time before it can be opened. */
    private static final int FILES_MAX = 50;

    /** Of a walk, remembered: a rename asks for those that it changes when it has found all. */
    private static final int DIRECTORIES_MAX = 16;

    /** One caller's second walk; each is itself only. */
    private static final class Walk {
        final OpenFlags wanted;
        private final Map<Long, Attributes> directories = // guarded by this
                new LinkedHashMap<>() {
                    @Override
                    protected boolean removeEldestEntry(Map.Entry<Long, Attributes> eldest) {
                        return size() > DIRECTORIES_MAX;
                    }
                };

        Walk(OpenFlags wanted) {
            this.wanted =
                    new OpenFlags(wanted.read(), wanted.write(), false, false, wanted.execute())
                            .keepingPrivileges();
        }

        synchronized void found(Attributes directory) {
            directories.remove(directory.getInode()); // the last found stay
            directories.put(directory.getInode(), directory);
        }

        synchronized @Nullable Attributes directory(long inode) {
            return directories.get(inode);
        }
    }

    /** What one caller found at its second attempt. */
    private record Held(Attributes found, @Nullable FileHandle handle) {}

    private final Metadata metadata;
    private final Transfer transfer;
    private final Clock clock;
    private final ConcurrentMap<Integer, Walk> walking = new ConcurrentHashMap<>();
    private final ConcurrentMap<Integer, Held> held = new ConcurrentHashMap<>();

    SecondAttempts(Metadata metadata, Transfer transfer, Clock clock) {
        this.metadata = metadata;
        this.transfer = transfer;
        this.clock = clock;
    }

    /**
     * The caller is told that its file is stale.
     *
     * @param wanted how it was to be opened; of one whose attributes were asked, {@link
     *     OpenFlags#READ}: perhaps to know whether it may be opened
     */
    void refused(Request caller, OpenFlags wanted) {
        int pid = caller.pid(); // the request is another's when it was answered
        if (pid != 0) { // of another namespace of processes
            Walk walk = new Walk(wanted);
            walking.put(pid, walk);
            clock.after(WALK_MAX, () -> walking.remove(pid, walk));
        }
    }

    /** The caller walks once more because the kernel could not take an answer. */
    void begins(Request caller) {
        if (!isOne(caller)) {
            refused(caller, OpenFlags.READ);
        }
    }

    boolean isOne(Request caller) {
        return !walking.isEmpty() && walking.containsKey(caller.pid());
    }

    /** What the name leads to; held if it is a file and the caller is at its second attempt. */
    CompletableFuture<Found> lookup(Request caller, Credentials who, long parent, Name name) {
        CompletableFuture<Found> found = metadata.lookup(who, parent, name);
        int pid = caller.pid();
        Walk walk = walking.isEmpty() ? null : walking.get(pid);
        return walk == null
                ? found
                : found.thenCompose(now -> hold(pid, walk, who, parent, name, now, FILES_MAX));
    }

    private CompletableFuture<Found> hold(
            int caller,
            Walk walk,
            Credentials who,
            long parent,
            Name name,
            Found found,
            int filesLeft) {
        Attributes attributes = found.attributes();
        if (attributes != null && attributes.getType() == FileType.DIRECTORY) {
            walk.found(attributes); // perhaps on the way to it
        }
        if (attributes == null || attributes.getType() != FileType.REGULAR) {
            return CompletableFuture.completedFuture(found);
        }
        return transfer.open(who, attributes.getInode(), walk.wanted)
                .handle((handle, thrown) -> {
                    if (thrown == null
                            || filesLeft <= 1
                            || FarmException.of(thrown, "open", "").kind() != ErrorKind.STALE) {
                        // It may look the name up twice, and uses what it found last.
                        keep(caller, new Held(attributes, handle));
                        clock.after(HELD, () -> walking.remove(caller, walk));
                        return CompletableFuture.completedFuture(found);
                    }
                    return metadata.lookup(who, parent, name)
                            .thenCompose(now ->
                                    hold(caller, walk, who, parent, name, now, filesLeft - 1));
                })
                .thenCompose(done -> done);
    }

    private void keep(int caller, Held now) {
        Held former = held.put(caller, now);
        if (former != null) {
            close(former.handle);
        }
        clock.after(HELD, () -> letGo(caller, now));
    }

    private void letGo(int caller, Held what) {
        if (held.remove(caller, what)) {
            close(what.handle);
        }
    }

    /** The caller uses a file: it looks for it no longer. */
    void using(Request caller, long inode) {
        Held known = held.isEmpty() ? null : held.get(caller.pid());
        if (known != null && known.found.getInode() == inode) {
            walking.remove(caller.pid());
        }
    }

    /** The caller has opened a file. */
    void opened(Request caller) {
        Held known = held.isEmpty() ? null : held.get(caller.pid());
        if (known != null) {
            letGo(caller.pid(), known);
        }
    }

    /**
     * Attributes of a file or directory that is gone, as it was found by the second attempt of this
     * caller; null if this is not one.
     */
    @Nullable Attributes lastKnown(Request caller, long inode) {
        Held file = held.isEmpty() ? null : held.get(caller.pid());
        if (file != null && file.found.getInode() == inode) {
            return file.found.toBuilder().setNlink(0).build();
        }
        Walk walk = walking.isEmpty() ? null : walking.get(caller.pid());
        Attributes directory = walk == null ? null : walk.directory(inode);
        return directory == null ? null : directory.toBuilder().setNlink(0).build();
    }

    /** The caller changes names: it has found what it looked for. True at a second attempt. */
    boolean over(Request caller) {
        return !walking.isEmpty() && walking.remove(caller.pid()) != null;
    }

    private static void close(@Nullable FileHandle handle) {
        if (handle != null) {
            handle.close()
                    .whenComplete((done, thrown) -> {
                        if (thrown != null) {
                            log.debug("a file that was held: {}", thrown.getMessage());
                        }
                    });
        }
    }
}
