package org.gridfarm.storagenode.replica;

import java.nio.ByteBuffer;

/** Hears of blocks that differ; the buffer is good during the call. */
public interface ChangedBlocks {
    void changed(long offset, ByteBuffer content);

    /** The range, of whole blocks, has become a hole. */
    void zeroed(long offset, long length);

    ChangedBlocks IGNORED =
            new ChangedBlocks() {
                @Override
                public void changed(long offset, ByteBuffer content) {}

                @Override
                public void zeroed(long offset, long length) {}
            };
}
