package org.gridfarm.client.core.cache;

/**
 * Per key (attributes or content of an inode): how often it was recalled, how often this client
 * began or ended a change of it, and how many such changes are under way. Kept in a fixed number of
 * slots, so it never grows; two keys in one slot only cost a miss. Guarded by its shard.
 */
final class KeyStates {
    private static final int SLOTS = 128; // per shard; a power of two

    private final int[] recalls = new int[SLOTS];
    private final int[] changes = new int[SLOTS];
    private final int[] pending = new int[SLOTS];

    static long attributes(long inode) {
        return inode * 2;
    }

    static long content(long directory) {
        return directory * 2 + 1;
    }

    long stamp(long key) {
        int slot = slot(key);
        return ((long) recalls[slot] << 32) | (changes[slot] & 0xFFFF_FFFFL);
    }

    boolean untouched(long key, long stamp) {
        return pending[slot(key)] == 0 && stamp(key) == stamp;
    }

    boolean pending(long key) {
        return pending[slot(key)] != 0;
    }

    int recalls(long key) {
        return recalls[slot(key)];
    }

    void recalled(long key) {
        recalls[slot(key)]++;
    }

    void recalledAll() {
        for (int slot = 0; slot < SLOTS; slot++) {
            recalls[slot]++;
        }
    }

    void changeBegins(long key) {
        changes[slot(key)]++;
        pending[slot(key)]++;
    }

    void changeEnds(long key) {
        changes[slot(key)]++;
        pending[slot(key)]--;
    }

    private static int slot(long key) {
        return (int) ((key * 0xD6E8FEB86659FD93L) >>> 57);
    }
}
