package org.gridfarm.scheduler.worker;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.LocalInput;
import org.gridfarm.protocol.wire.NodeInfo;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** What the scheduler asks of the metadata. */
public interface Farm {
    /** Nodes known to the farm, in any state. */
    CompletableFuture<List<NodeInfo>> nodes();

    /**
     * Where the input lies, as far as the user may know. A path that does not exist, or cannot be
     * looked up for another reason that stays, weighs nothing: the task itself will say so.
     */
    CompletableFuture<Holdings> holdings(Credentials who, List<ByteString> paths);

    /**
     * What a node is to be told of files that a task wants as plain files of that node: with a
     * ticket where it holds all of one which its user may read and nobody writes, and by path alone
     * everywhere else.
     */
    CompletableFuture<List<LocalInput>> locals(
            Credentials who, List<ByteString> paths, String node);

    /**
     * A copy of a file at that node for tasks of a user who may read it, beyond its level and for
     * so long, unless it is asked for again; answered when it is there. Zero: it is let go.
     */
    CompletableFuture<Void> spread(Credentials who, ByteString path, String node, Duration keep);

    /** Bytes of the input on each node that holds a readable copy, and all of its bytes. */
    record Holdings(Map<String, Long> bytesByNode, long totalBytes) {}
}
