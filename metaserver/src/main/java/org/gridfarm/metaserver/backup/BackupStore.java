package org.gridfarm.metaserver.backup;

import org.gridfarm.metaserver.commit.StateSink;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.DumpEnd;
import org.gridfarm.protocol.wire.DumpHeader;
import org.gridfarm.protocol.wire.Outcome;

import java.io.IOException;

/** A database whose whole state can be read as of one moment, and, while empty, written. */
public interface BackupStore {
    /**
     * Everything acknowledged before the call and nothing half done, while the farm goes on: who it
     * is, then rows, then batches that are not in the tables yet.
     */
    DumpEnd dump(HeaderSink header, StateSink rows) throws IOException;

    /** Takes the header before anything else. */
    interface HeaderSink {
        void header(DumpHeader header);
    }

    /**
     * Fills an empty database, all or nothing. Refuses with ALREADY_EXISTS one that is not empty.
     */
    void restore(Source source) throws IOException;

    /** What is to be restored. */
    interface Source {
        DumpHeader header() throws IOException;

        /** Hands over everything and returns the end, which has been checked. */
        DumpEnd rows(RowSink sink) throws IOException;
    }

    /** Takes rows; a later one of the same key replaces an earlier one. */
    interface RowSink {
        void change(Change change);

        void outcome(Outcome outcome);
    }
}
