package org.gridfarm.test.linear;

/**
 * One exclusive lock that its takers do not wait for.
 *
 * @param holder the client that has it, {@link #NOBODY} if none
 */
public record Lock(int holder) {
    public static final int NOBODY = -1;

    /** What a client does to the lock. */
    public sealed interface Call {
        /** "ok": it has it now, or had it already; "EAGAIN": another has it. */
        record Take(int client) implements Call {}

        /** Always "ok", also of what it does not have. */
        record Release(int client) implements Call {}
    }

    public static final Model<Lock, Call, String> MODEL =
            new Model<>() {
                @Override
                public Lock initial() {
                    return new Lock(NOBODY);
                }

                @Override
                public Step<Lock, String> step(Lock state, Call call) {
                    return switch (call) {
                        case Call.Take(int client) ->
                                state.holder == NOBODY || state.holder == client
                                        ? new Step<>(new Lock(client), "ok")
                                        : new Step<>(state, "EAGAIN");
                        case Call.Release(int client) ->
                                new Step<>(state.holder == client ? new Lock(NOBODY) : state, "ok");
                    };
                }
            };
}
