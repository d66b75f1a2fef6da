package org.gridfarm.client.core.transfer.local;

import org.gridfarm.protocol.wire.Layout;

import java.util.concurrent.CompletableFuture;

/** The open file that a grant to write is for, as far as the grant asks it. */
public interface GrantOwner {
    /** With tickets that hold for a while. */
    CompletableFuture<Layout> layout();

    /** As the metaserver last said. */
    boolean haveOthersWritten();
}
