package org.gridfarm.client.core.transfer.file;

import org.gridfarm.client.core.transfer.local.LocalWriting;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.DataMode;
import org.jspecify.annotations.Nullable;

import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Tells the metaserver which members of a chain failed; it answers with the chain to go on with.
 */
final class Mending {
    private Mending() {}

    public static CompletableFuture<Void> of(
            OpenInode open,
            Wiring wiring,
            int stripe,
            Set<String> failed,
            boolean full,
            String reason) {
        Content content = open.content();
        LocalWriting struck = failed.contains(wiring.attached().name()) ? content.file() : null;
        boolean unsure = struck != null && open.mode() == DataMode.WRITE_SHARED;
        // Whether others have written, which our file does not have, the metaserver knows.
        return (unsure ? open.refresh(0) : CompletableFuture.<Void>completedFuture(null))
                .thenCompose(known ->
                        told(
                                open,
                                wiring,
                                struck,
                                report(
                                        stripe,
                                        failed,
                                        full,
                                        reason,
                                        new Known(
                                                content,
                                                struck != null && !open.haveOthersWritten(),
                                                open.hasOutcome(stripe)))));
    }

    /**
     * What this process knows of the file.
     *
     * @param struckWhole the node here is among those that failed, and nobody else has written: our
     *     plain file may be all there is
     * @param hasOutcome the chain has told this process of a change
     */
    record Known(Content content, boolean struckWhole, boolean hasOutcome) {}

    /** What the metaserver is told. */
    static AtLeader.ChainReport report(
            int stripe, Set<String> failed, boolean full, String reason, Known known) {
        boolean ours = known.content instanceof Content.Whole;
        return new AtLeader.ChainReport(
                stripe, failed, reason, full, ours || known.hasOutcome, ours && known.struckWhole);
    }

    private static CompletableFuture<Void> told(
            OpenInode open,
            Wiring wiring,
            @Nullable LocalWriting struck,
            AtLeader.ChainReport report) {
        FarmFileHandle handle = FarmFileHandle.strongest(open.handles());
        if (handle == null) {
            return CompletableFuture.failedFuture(
                    new FarmException(ErrorKind.BAD_HANDLE, "write", ""));
        }
        return AtLeader.chainFailed(wiring, handle, report)
                .exceptionallyCompose(thrown ->
                        CompletableFuture.failedFuture(
                                open.reason(FarmException.of(thrown, "write", ""))))
                .thenAccept(reply -> {
                    if (struck != null) {
                        struck.lose(); // its file is brought to those who are left, or to others
                    }
                    if (report.rescue()) {
                        open.forgetOutcomes();
                    }
                    open.refreshed(reply);
                });
    }
}
