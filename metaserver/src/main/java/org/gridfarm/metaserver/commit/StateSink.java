package org.gridfarm.metaserver.commit;

import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.ChangeBatch;
import org.gridfarm.protocol.wire.Outcome;

/**
 * Takes what a store has kept: table rows as changes and outcomes, then journal rows as batches.
 */
public interface StateSink {
    void change(Change change);

    void outcome(Outcome outcome);

    void batch(ChangeBatch batch);
}
