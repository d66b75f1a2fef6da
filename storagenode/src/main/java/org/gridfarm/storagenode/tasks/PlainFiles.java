package org.gridfarm.storagenode.tasks;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.ObjectId;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/** The contents of files that this node has as plain files of its own. */
public interface PlainFiles {
    /**
     * Where one lies, compared with its sums not too long ago. Fails unless the ticket lets the
     * caller read it here, and while a program of this host writes into it.
     */
    CompletableFuture<Path> of(Peer caller, ObjectId object, ByteString ticket);
}
