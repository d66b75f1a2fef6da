package org.gridfarm.protocol.rpc;

import io.netty.buffer.PooledByteBufAllocator;

/**
 * Where the memory of payloads comes from. Thread-safe.
 *
 * <p>A payload has up to a MiB and a little more. Pools that are made for less give each one memory
 * of its own, which the JDK fills with zeros first: that took more time than everything else that
 * is done to the bytes. A buffer must take less than a quarter of a chunk, or the chunk goes back
 * to the system with it.
 */
public final class Buffers {
    private static final int PAGE_BYTES = 8 << 10;
    private static final int CHUNK_ORDER = 11; // chunks of 16 MiB
    private static final int ARENAS = 2;

    /** For payloads and all that a connection reads and writes. */
    public static final PooledByteBufAllocator POOL =
            new PooledByteBufAllocator(
                    true,
                    1,
                    ARENAS,
                    PAGE_BYTES,
                    CHUNK_ORDER,
                    PooledByteBufAllocator.defaultSmallCacheSize(),
                    PooledByteBufAllocator.defaultNormalCacheSize(),
                    false);

    private Buffers() {}
}
