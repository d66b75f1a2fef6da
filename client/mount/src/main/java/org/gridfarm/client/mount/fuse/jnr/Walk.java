package org.gridfarm.client.mount.fuse.jnr;

import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.FuseOperations;
import org.gridfarm.client.mount.fuse.RawName;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/// The lookups of one call: walks paths, and gives everything back when it is closed.
final class Walk implements AutoCloseable {

    /// A component of a path was refused.
    static final class Refused extends Exception {

        private static final long serialVersionUID = 1;

        /// Negative errno.
        final int result;

        Refused(int result) {
            super("errno " + -result, null, false, false);
            this.result = result;
        }
    }

    private static final char REPLACEMENT = '\uFFFD';

    private final FuseOperations operations;
    private final Supplier<BlockingReply> replies;
    private final List<Long> held = new ArrayList<>();

    Walk(FuseOperations operations, Supplier<BlockingReply> replies) {
        this.operations = operations;
        this.replies = replies;
    }

    long node(String path) throws Refused {
        long node = FuseOperations.ROOT;
        for (String part : path.split("/")) {
            if (!part.isEmpty()) {
                BlockingReply reply = replies.get();
                operations.lookup(reply, node, whole(part));
                int result = reply.await();
                if (result != 0) {
                    throw new Refused(result);
                }
                node = reply.node;
                held.add(node);
            }
        }
        return node;
    }

    long parent(String path) throws Refused {
        return node(path.substring(0, path.lastIndexOf('/')));
    }

    static RawName name(String path) throws Refused {
        return whole(path.substring(path.lastIndexOf('/') + 1));
    }

    /// Names come as text here, and those that are not UTF-8 come all alike: none is taken for
    /// another.
    static RawName whole(String text) throws Refused {
        if (text.indexOf(REPLACEMENT) >= 0) {
            throw new Refused(-Errno.EILSEQ);
        }
        return RawName.of(text);
    }

    /// Counts a lookup that an answer gave besides.
    void hold(long node) {
        held.add(node);
    }

    /// Keeps the lookup of `node` beyond this walk; the root needs none.
    long keep(long node) {
        held.remove(node);
        return node;
    }

    @Override
    public void close() {
        held.forEach(node -> operations.forget(node, 1));
    }
}
