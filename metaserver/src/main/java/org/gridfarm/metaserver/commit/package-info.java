/**
 * From a decided change to a durable one. The {@link org.gridfarm.metaserver.commit.Committer}
 * writes one batch at a time to the journal; the {@link
 * org.gridfarm.metaserver.commit.Materialiser} folds journal rows into the tables behind it. Both
 * see the database only as a {@link org.gridfarm.metaserver.commit.JournalStore}.
 *
 * <p>Promises: batches become durable strictly in order; a batch is durable as a whole or not at
 * all; a leader whose epoch has passed makes nothing durable any more.
 */
@NullMarked
package org.gridfarm.metaserver.commit;

import org.jspecify.annotations.NullMarked;
