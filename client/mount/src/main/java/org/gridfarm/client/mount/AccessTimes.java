package org.gridfarm.client.mount;

import org.gridfarm.client.core.metadata.Metadata;
import org.gridfarm.client.core.transfer.FileHandle;
import org.gridfarm.client.mount.fuse.MountFlag;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.attributes.Relatime;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.wire.Access;
import org.gridfarm.protocol.wire.Attributes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongPredicate;

/**
 * Access times, which Linux leaves to the mount: moved by the rule of relatime (only if they are
 * not newer than the last change, or a day old), seen here at once, and told to the farm many at a
 * time. What is not told when the process is killed is lost. Thread-safe.
 */
final class AccessTimes {
    private static final Logger log = LoggerFactory.getLogger(AccessTimes.class);
    private static final Duration TOLD_AFTER = Duration.ofSeconds(1);

    /** Some 100 bytes each; of more that are read while the farm is silent none is told. */
    private static final int UNTOLD_MAX = 1 << 16;

    private static final CompletableFuture<@Nullable Void> DONE =
            CompletableFuture.completedFuture(null);

    /** The clock of who made the last change may be ahead: reading comes after it all the same. */
    private static final long SKEW_MAX = Duration.ofSeconds(10).toNanos();

    private final Metadata metadata;
    private final Clock clock;
    private final boolean ofFiles;
    private final boolean ofDirectories;
    private final Map<Long, Access> untold = new ConcurrentHashMap<>();
    private volatile LongPredicate own = inode -> false;
    private boolean telling; // guarded by this

    AccessTimes(Metadata metadata, Clock clock, Set<MountFlag> flags) {
        this.metadata = metadata;
        this.clock = clock;
        ofFiles = !flags.contains(MountFlag.READ_ONLY) && !flags.contains(MountFlag.NO_ATIME);
        ofDirectories = ofFiles && !flags.contains(MountFlag.NO_DIR_ATIME);
    }

    /**
     * @param own a directory in which this mount decides by itself: when that is over, the farm is
     *     told
     */
    void stayWhere(LongPredicate own) {
        this.own = own;
    }

    /** Somebody reads the file now. Whether that moves its time. */
    boolean read(FileHandle file) {
        if (!ofFiles) {
            return false;
        }
        Attributes leased = metadata.leasedAttributes(file.inode());
        return move(leased == null ? file.attributes() : leased);
    }

    /**
     * The same of what is not open here.
     *
     * @param known as it was some time before
     */
    void read(Attributes known) {
        if (ofFiles) {
            Attributes leased = metadata.leasedAttributes(known.getInode());
            move(leased == null ? known : leased);
        }
    }

    /** The same of a link. Completes when it is shown here. */
    CompletableFuture<@Nullable Void> followed(long inode) {
        return ofFiles ? moveAsKnown(inode) : DONE;
    }

    /** The same of a directory. */
    CompletableFuture<@Nullable Void> listed(long inode) {
        return ofDirectories ? moveAsKnown(inode) : DONE;
    }

    private CompletableFuture<@Nullable Void> moveAsKnown(long inode) {
        Attributes leased = metadata.leasedAttributes(inode);
        if (leased != null) {
            move(leased);
            return DONE;
        }
        return metadata.attributes(inode)
                .handle((found, failure) -> {
                    if (failure == null) {
                        move(found.require("read", ""));
                    } else {
                        log.debug("the access time stays: {}", failure.getMessage());
                    }
                    return null;
                });
    }

    /** Whether reading the file now moves its time. */
    boolean wouldMove(Attributes opened) {
        return ofFiles && isToMove(opened, clock.epochNanos());
    }

    private boolean isToMove(Attributes known, long now) {
        return Relatime.moves(of(known), known.getMtime(), known.getCtime(), now);
    }

    private boolean move(Attributes known) {
        long now = clock.epochNanos();
        if (!isToMove(known, now)) {
            return false;
        }
        long changed = Math.max(known.getMtime(), known.getCtime());
        if (untold.size() >= UNTOLD_MAX && !untold.containsKey(known.getInode())) {
            return false;
        }
        boolean ahead = now <= changed && changed - now < SKEW_MAX;
        untold.put(
                known.getInode(),
                Access.newBuilder()
                        .setInode(known.getInode())
                        .setTime(ahead ? changed + 1 : now)
                        .setBefore(known.getAtime())
                        .build());
        tellLater();
        return true;
    }

    /** As it is shown here. Where it is another than the reader knew, it was set since. */
    long of(Attributes attributes) {
        Access moved = untold.isEmpty() ? null : untold.get(attributes.getInode());
        return moved == null || moved.getBefore() != attributes.getAtime()
                ? attributes.getAtime()
                : moved.getTime();
    }

    /** Somebody sets it to what he likes. */
    void forget(long inode) {
        untold.remove(inode);
    }

    private void tellLater() {
        synchronized (this) {
            if (telling) {
                return;
            }
            telling = true;
        }
        clock.after(TOLD_AFTER, this::tellAll);
    }

    private void tellAll() {
        tell().whenComplete((_, _) -> {
            synchronized (this) {
                telling = false;
            }
            if (!untold.isEmpty()) {
                tellLater();
            }
        });
    }

    /** Completes when the farm knows, or will not. */
    CompletableFuture<@Nullable Void> tell() {
        List<Access> some =
                untold.values().stream()
                        .filter(access -> !own.test(access.getInode()))
                        .limit(MetadataMethods.ACCESSES_MAX)
                        .toList();
        if (some.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return metadata.accessed(some)
                .handle((_, failure) -> {
                    if (failure != null) {
                        log.debug("access times were not told: {}", failure.getMessage());
                    }
                    some.forEach(this::told);
                    return null;
                });
    }

    /** What was read anew meanwhile comes after it. */
    private void told(Access one) {
        untold.computeIfPresent(
                one.getInode(),
                (inode, now) ->
                        now.equals(one) ? null : now.toBuilder().setBefore(one.getTime()).build());
    }
}
