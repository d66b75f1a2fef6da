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
                .thenCompose(known -> {
                    boolean ours = content instanceof Content.Whole;
                    boolean rescues = struck != null && ours && !open.haveOthersWritten();
                    boolean written = ours || open.hasOutcome(stripe);
                    return told(
                            open,
                            wiring,
                            struck,
                            new AtLeader.ChainReport(
                                    stripe, failed, reason, full, written, rescues));
                });
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
