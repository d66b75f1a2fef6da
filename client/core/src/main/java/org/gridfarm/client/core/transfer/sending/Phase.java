package org.gridfarm.client.core.transfer.sending;

import org.gridfarm.client.core.transfer.sending.ChainAction.Pass;
import org.gridfarm.client.core.transfer.sending.ChainEvent.Head;

/** Where a chain is in the table of {@link ChainState}. */
sealed interface Phase {
    /** Nothing waits to be sent. */
    record Still() implements Phase {}

    /** There was nothing to be recorded: what waits is sent after a pause. */
    record Resting() implements Phase {}

    record Finding(Pass pass) implements Phase {}

    /** One command is on its way to the wire, or looked for. */
    record Sending(Head head, Pass pass) implements Phase {}

    /** Something failed while somebody finds or sends: his return is waited for. */
    record Stopping(Damage damage) implements Phase {}

    /** What is under way is waited for. */
    record Draining(Damage damage) implements Phase {}

    record Mending(Damage damage) implements Phase {}

    record Moving(Damage damage, long since) implements Phase {}

    /** It could not be mended: once more after a pause. */
    record Broken(Damage damage) implements Phase {}
}
