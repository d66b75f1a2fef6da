package org.gridfarm.client.core.transfer.file;

import org.gridfarm.client.core.transfer.local.AttachedNode;
import org.gridfarm.protocol.env.Clock;

import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/** What open files work with where no farm is asked: a clock and the disk of this host. */
@SuppressWarnings("NullAway") // what is left out nobody asks for
public final class Wirings {
    private Wirings() {}

    public static Wiring attachedTo(String node, Clock clock) {
        return new Wiring(
                null,
                null,
                null,
                clock,
                null,
                AttachedNode.of(node, List.of(), null, clock),
                new Semaphore(1),
                new AtomicLong(),
                null);
    }
}
