package org.gridfarm.namespace;

import com.google.protobuf.MessageLite;

/** A sum over the rows of a namespace, whatever order they are met in. */
final class Digest {
    private long sum;

    long of(Namespace state) {
        state.forEachInode(inode -> {
            state.exportInode(inode.number, this::add);
            state.exportEntries(inode.number, this::add);
        });
        return sum;
    }

    private void add(MessageLite row) {
        long hash = 0xCBF29CE484222325L;
        for (byte b : row.toByteArray()) {
            hash = (hash ^ b) * 0x100000001B3L;
        }
        hash ^= hash >>> 31;
        hash *= 0x9E3779B97F4A7C15L;
        sum += hash ^ (hash >>> 29);
    }
}
