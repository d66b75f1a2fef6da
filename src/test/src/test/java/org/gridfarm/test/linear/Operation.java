package org.gridfarm.test.linear;

/**
 * One call of one client.
 *
 * @param outcome what it returned; null when nobody knows (time-out, connection lost): it may have
 *     taken effect at any time after its call, or never
 * @param called and returned on one clock that all clients share; returned is ignored without an
 *     outcome
 */
public record Operation<C, O>(int client, C call, O outcome, long called, long returned) {
    public Operation {
        if (outcome != null && returned < called) {
            throw new IllegalArgumentException("returned before it was called: " + call);
        }
    }

    boolean isKnown() {
        return outcome != null;
    }

    @Override
    public String toString() {
        return "client %d %s -> %s [%d, %s]"
                .formatted(
                        client,
                        call,
                        isKnown() ? outcome : "unknown",
                        called,
                        isKnown() ? Long.toString(returned) : "...");
    }
}
