package org.gridfarm.client.core.transfer;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.DataMode;

import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Tells the metaserver which members of a chain failed; it answers with the chain to go on with.
 */
final class Mending {
    private Mending() {}

    static CompletableFuture<Void> of(
            OpenInode open,
            Wiring wiring,
            int stripe,
            Set<String> failed,
            boolean full,
            String reason) {
        LocalWriting here = open.localWriting();
        boolean aside = here != null && here.isAside();
        LocalWriting struck = failed.contains(wiring.attached()) ? here : null;
        boolean rescues = struck != null && !aside;
        if (rescues && open.mode() == DataMode.WRITE_SHARED) {
            // Others may have written since to the nodes that are left: our file would undo it.
            FarmException broken =
                    new FarmException(ErrorKind.DATA_UNAVAILABLE, "write", "", reason);
            open.fail(broken);
            return CompletableFuture.failedFuture(broken);
        }
        FarmFileHandle handle = FarmFileHandle.strongest(open.handles());
        if (handle == null) {
            return CompletableFuture.failedFuture(
                    new FarmException(ErrorKind.BAD_HANDLE, "write", ""));
        }
        boolean written = (here != null && !aside) || open.hasOutcome(stripe);
        AtLeader.ChainReport report =
                new AtLeader.ChainReport(stripe, failed, reason, full, written, rescues);
        return AtLeader.chainFailed(wiring, handle, report)
                .thenAccept(reply -> {
                    if (struck != null) {
                        struck.lose(); // its file is brought to those who are left, or to others
                    }
                    if (rescues) {
                        open.forgetOutcomes();
                    }
                    open.refreshed(reply);
                });
    }
}
