package org.gridfarm.client.mount.own;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.client.core.metadata.GivenDirectory;
import org.gridfarm.client.core.metadata.OwnDecisions;
import org.gridfarm.namespace.own.OwnGround;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.DelegateRequest;
import org.gridfarm.protocol.wire.DirectoryDelegation;
import org.gridfarm.protocol.wire.DirentImage;
import org.gridfarm.protocol.wire.MutateRequest;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Has directories that were there before delegated to this mount, for {@link OwnDirectories}, whose
 * lock guards what the two share. Thread-safe.
 */
final class Existing implements Takeovers.Owner {
    private static final Duration ASKED_WITHIN = Duration.ofSeconds(5);

    private final Object lock;

    @GuardedBy("lock")
    private final OwnGround ground;

    @GuardedBy("lock")
    private final Shipping shipping;

    @GuardedBy("lock")
    private final EarlyRecalls early;

    private final Supplier<OwnDecisions.Client> client;
    private final Runnable shipsSoon;

    Existing(
            Object lock,
            OwnGround ground,
            Shipping shipping,
            EarlyRecalls early,
            Supplier<OwnDecisions.Client> client,
            Runnable shipsSoon) {
        this.lock = lock;
        this.ground = ground;
        this.shipping = shipping;
        this.early = early;
        this.client = client;
        this.shipsSoon = shipsSoon;
    }

    @Override
    public List<Takeovers.Wanted> wanted(MutateRequest request) {
        List<Takeovers.Wanted> wanted = new ArrayList<>();
        synchronized (lock) {
            if (!shipping.keepsGiven()
                    || ground.size() >= OwnDirectories.INODES_MAX
                    || request.getSession() != client.get().session().id()) {
                return wanted;
            }
            for (long at : ground.wanted(request)) {
                wanted.add(new Takeovers.Wanted(at, ground.isInOwn(at)));
            }
        }
        return wanted;
    }

    @Override
    public CompletableFuture<Takeovers.Taken> take(long directory) {
        DelegateRequest request;
        synchronized (lock) {
            early.remove(directory); // that was before
            request =
                    DelegateRequest.newBuilder()
                            .setSession(client.get().session().id())
                            .setDirectory(directory)
                            .setNumbers(ground.numbersWanted())
                            .build();
        }
        long[] before = client.get().stampsBeforeGiven();
        return client.get()
                .session()
                .leaderAtOnce(MetadataMethods.DELEGATE, () -> request, ASKED_WITHIN)
                .thenApply(reply -> {
                    boolean mine = reply.hasDelegation() && took(reply.getDelegation(), before);
                    return new Takeovers.Taken(mine, reply.getPauseMillis());
                });
    }

    private boolean took(DirectoryDelegation given, long[] before) {
        GivenDirectory known;
        synchronized (lock) {
            if (early.remove(given.getDirectory()) || !shipping.keepsGiven()) return false;
            known = added(given);
            if (known == null) shipping.giveBack(given.getDirectory());
        }
        if (known == null) shipsSoon.run();
        else client.get().given(known, before);
        return known != null;
    }

    /** Null: a call is under way by which the leader may change it. */
    @GuardedBy("lock")
    private @Nullable GivenDirectory added(DirectoryDelegation given) {
        if (!ground.add(given)) return null;
        List<DirentImage> entries =
                given.getContentList().stream()
                        .filter(Change::hasDirent)
                        .map(Change::getDirent)
                        .toList();
        long directory = given.getDirectory();
        return new GivenDirectory(
                ground.attributesOf(directory), entries, ground.filesOf(directory));
    }
}
