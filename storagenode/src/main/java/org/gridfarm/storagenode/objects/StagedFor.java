package org.gridfarm.storagenode.objects;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.protocol.rpc.AttachmentKey;
import org.gridfarm.protocol.rpc.Peer;

import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** The numbers of the staged files that one connection was given last. Thread-safe. */
final class StagedFor {
    private static final AttachmentKey<StagedFor> KEY = AttachmentKey.named("staged files");

    /** A client has fewer at hand; what it was given before these it has used. */
    private static final int NUMBERS_MAX = 1024;

    @GuardedBy("this")
    private final Set<Long> numbers = new LinkedHashSet<>();

    private StagedFor() {}

    /**
     * Of this connection, on its own thread.
     *
     * @param gone is given the numbers when the connection is gone
     */
    static StagedFor of(Peer client, Consumer<List<Long>> gone) {
        StagedFor known = client.attachment(KEY);
        if (known != null) return known;
        StagedFor made = new StagedFor();
        client.attach(KEY, made);
        Runnable _ = client.whenClosed(() -> gone.accept(made.all()));
        return made;
    }

    synchronized void add(Collection<Long> more) {
        numbers.addAll(more);
        Iterator<Long> eldest = numbers.iterator();
        while (numbers.size() > NUMBERS_MAX) {
            eldest.next();
            eldest.remove();
        }
    }

    private synchronized List<Long> all() {
        return List.copyOf(numbers);
    }
}
