package org.gridfarm.client.core.transfer.client;

import org.gridfarm.client.core.transfer.file.Content;
import org.gridfarm.client.core.transfer.file.FarmFileHandle;
import org.gridfarm.client.core.transfer.file.HandleOwner;
import org.gridfarm.client.core.transfer.file.Wiring;
import org.gridfarm.client.core.transfer.idle.KeptOpens;
import org.gridfarm.client.core.transfer.idle.Releases;
import org.gridfarm.client.core.transfer.idle.RestingWriters;
import org.gridfarm.client.core.transfer.idle.Untold;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.OpenReply;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * What becomes of a handle when its program closes it: it is given up, kept for the next open,
 * rests, or is closed while the program goes on. Thread-safe.
 */
record HandleEnds(
        Wiring wiring,
        OpenInodes open,
        Untold untold,
        Releases releases,
        KeptOpens kept,
        RestingWriters resting)
        implements HandleOwner {
    private static final Logger log = LoggerFactory.getLogger(HandleEnds.class);

    @Override
    public boolean release(FarmFileHandle handle) {
        if (untold.closed(handle)) return false;
        boolean keeps = !handle.flags().write() && keep(handle);
        if (!keeps) {
            releases.release(handle.id());
        }
        return keeps;
    }

    /** As long as whoever opens it again would find it as it was: not when it was removed. */
    private boolean keep(FarmFileHandle handle) {
        Attributes now = wiring.metadata().cachedAttributes(handle.inode());
        synchronized (open) { // a recall finds it kept or open
            OpenReply reply = handle.open().asOpened();
            if (reply == null
                    || now == null
                    || now.getVersion() != reply.getAttributes().getVersion()
                    || wiring.clock().nanoTime() - handle.keepableUntil() >= 0
                    || !KeptOpens.isWhole(reply)) {
                return false;
            }
            kept.add(
                    handle.inode(),
                    new KeptOpens.Kept(
                            handle.id(),
                            handle.who(),
                            handle.flags(),
                            reply,
                            handle.keepableUntil(),
                            handle.ended()));
            return true;
        }
    }

    /** The version of its attributes if it may be opened again without a call; else -1. */
    private long versionToRest(FarmFileHandle handle) {
        if (!handle.flags().write() || !handle.open().plain.mayRest()) {
            return -1;
        }
        Attributes now = wiring.metadata().leasedAttributes(handle.inode());
        return now != null && handle.hasRightsAsIn(now) ? now.getVersion() : -1;
    }

    @Override
    public boolean mayRestSoon(FarmFileHandle handle) {
        boolean may = versionToRest(handle) >= 0;
        if (!may
                && handle.open().plain.mayRest()
                && wiring.metadata().leasedAttributes(handle.inode()) == null) {
            leaseForNextTime(handle.inode());
        }
        return may;
    }

    private void leaseForNextTime(long inode) {
        wiring.metadata()
                .attributes(inode)
                .exceptionally(thrown -> {
                    log.debug("no lease on what was written: {}", thrown.getMessage());
                    return null;
                });
    }

    @Override
    public boolean mayCloseLater(FarmFileHandle handle) {
        return handle.flags().write() && resting.hasRoom() && handle.open().plain.mayCloseLater();
    }

    @Override
    public boolean mayLeaveCommit() {
        return resting.hasRoom();
    }

    @Override
    public void leaves(FarmFileHandle handle) {
        resting.leaves(handle);
    }

    @Override
    public void leavesToCommit(FarmFileHandle handle) {
        resting.leavesToCommit(handle);
    }

    @Override
    public CompletableFuture<Void> ended(FarmFileHandle handle) {
        if (!handle.flags().write()) {
            return handle.closeForGood();
        }
        Supplier<CompletableFuture<Void>> close;
        synchronized (open) { // a recall finds it resting, closing or open
            long version = versionToRest(handle);
            boolean rests = version >= 0 && resting.add(handle, version);
            close = rests ? () -> CompletableFuture.completedFuture(null) : begunClose(handle);
        }
        // Not before: whoever waits to open the file would find neither.
        resting.left(handle.id());
        return close.get();
    }

    @Override
    public CompletableFuture<Void> closesOver(long inode) {
        return resting.end(inode);
    }

    /** To be run without a lock. */
    private Supplier<CompletableFuture<Void>> begunClose(FarmFileHandle handle) {
        if (mayCloseLater(handle)) {
            Runnable close = resting.begunSoon(handle);
            return () -> {
                close.run();
                return CompletableFuture.completedFuture(null);
            };
        }
        // Whose close(2) was answered before anything was told: others have to wait for that.
        return resting.begunLeaving(handle, handle.open().content() instanceof Content.Plain);
    }

    @Override
    public CompletableFuture<Void> told(FarmFileHandle handle) {
        return untold.tell(handle);
    }

    @Override
    public CompletableFuture<Void> releaseUnsettled(FarmFileHandle handle) {
        return releases.releaseUnsettled(handle.id());
    }

    @Override
    public void closed(FarmFileHandle handle) {
        open.closed(handle);
    }
}
