package org.gridfarm.storagenode.objects;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.storagenode.replica.ObjectKey;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Who may write into which replica's plain file. A replica stays open while somebody may, with two
 * descriptors and its sums: so many at once, and where there are more a client writes through the
 * chain instead. Thread-safe.
 */
final class Grants {
    /** For one replica; each mount has one. */
    static final int EACH_MAX = 256;

    /**
     * @param owner to whom it was given, who alone gives it back
     * @param staged number of the file that was claimed; 0: none
     */
    record Grant(ObjectKey key, String owner, long staged, Runnable forget) {}

    private final int replicasMax;

    @GuardedBy("this")
    private final Map<Long, Grant> grants = new HashMap<>();

    @GuardedBy("this")
    private final Map<ObjectKey, Integer> replicas = new HashMap<>(); // to the number of grants

    @GuardedBy("this")
    private final Map<Long, Long> claims = new HashMap<>(); // grant by staged file

    Grants(int replicasMax) {
        this.replicasMax = replicasMax;
    }

    /**
     * OVERLOADED where there are too many. What the kernel may have written into a staged file
     * already is taken in all the same, up to twice as many: before that no more files are staged.
     */
    synchronized void add(long number, Grant grant) {
        int here = replicas.getOrDefault(grant.key, 0);
        int max = grant.staged == 0 ? replicasMax : 2 * replicasMax;
        if (here >= EACH_MAX || (here == 0 && replicas.size() >= max)) {
            throw new FarmException(
                    ErrorKind.OVERLOADED,
                    "open-local",
                    grant.key.toString(),
                    here > 0
                            ? here + " write into it already"
                            : replicas.size() + " files are written locally already");
        }
        grants.put(number, grant);
        replicas.put(grant.key, here + 1);
    }

    /** Who had claimed that staged file before and has not heard of it; null: nobody. */
    synchronized @Nullable Long claimed(long staged, long number) {
        return claims.put(staged, number);
    }

    synchronized List<Long> of(ObjectKey key) {
        if (!replicas.containsKey(key)) return List.of();
        return grants.entrySet().stream()
                .filter(one -> one.getValue().key.equals(key))
                .map(Map.Entry::getKey)
                .toList();
    }

    synchronized boolean isOf(long number, String owner) {
        Grant grant = grants.get(number);
        return grant != null && grant.owner.equals(owner);
    }

    /** Null: it has ended before. */
    synchronized @Nullable Grant remove(long number) {
        Grant grant = grants.remove(number);
        if (grant != null) {
            claims.remove(grant.staged, number);
            replicas.computeIfPresent(grant.key, (_, count) -> count == 1 ? null : count - 1);
        }
        return grant;
    }

    /** More replicas that may be granted. */
    synchronized int room() {
        return Math.max(0, replicasMax - replicas.size());
    }
}
