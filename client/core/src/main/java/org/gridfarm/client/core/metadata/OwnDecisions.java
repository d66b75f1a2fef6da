package org.gridfarm.client.core.metadata;

import org.gridfarm.client.core.session.FarmSession;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.MakeDirectory;
import org.gridfarm.protocol.wire.MutateReply;
import org.gridfarm.protocol.wire.MutateRequest;
import org.gridfarm.protocol.wire.OpenReply;
import org.gridfarm.protocol.wire.RecallRequest;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Changes that this client decides by itself, in directories that the leader has delegated to it:
 * they are answered at once, and the leader is told later. Thread-safe; nothing here blocks.
 *
 * <p>Nothing else is asked of any server before the leader knows all that was answered here: see
 * {@link FarmSession#first}.
 */
public interface OwnDecisions {
    /** Everything is the leader's to decide. */
    OwnDecisions NONE =
            new OwnDecisions() {
                @Override
                public void begins(Client client) {}

                @Override
                public MakeDirectory wished(MakeDirectory mkdir) {
                    return mkdir;
                }

                @Override
                public @Nullable CompletableFuture<@Nullable MutateReply> answer(
                        Supplier<MutateRequest> request) {
                    return null;
                }

                @Override
                public MutateReply answered(MutateReply reply) {
                    return reply;
                }

                @Override
                public void seen(Attributes now) {}

                @Override
                public @Nullable CompletableFuture<Void> told() {
                    return null;
                }

                @Override
                public CompletableFuture<Void> recalled(RecallRequest recall) {
                    return CompletableFuture.completedFuture(null);
                }
            };

    /** What the decisions need of the client. */
    interface Client {
        FarmSession session();

        /** The leader has answered the change, or will never be asked for it again. */
        void settled(long sequence);

        /** Asked under a lock: waits for nobody. */
        boolean isOpen(long inode);

        /** What the leader says of a file that was opened by an own decision. */
        void opened(long handle, OpenReply reply);

        /** Forgets all that is named, as if a server had recalled it. */
        CompletableFuture<Void> forget(RecallRequest all);
    }

    /** Once, before anything else. */
    void begins(Client client);

    /** How a directory is to be asked for at the leader. */
    MakeDirectory wished(MakeDirectory mkdir);

    /**
     * The answer, if it is this client's to give; {@code opened} is in it where that was asked for.
     * Complete already, unless the leader has to be told of others first. Fails with the refusal.
     * Null, also in the future: the leader's, which is to be asked.
     *
     * @param request made only where it may be this client's to answer
     */
    @Nullable CompletableFuture<@Nullable MutateReply> answer(Supplier<MutateRequest> request);

    /**
     * The leader has answered this.
     *
     * @return the same; without its delegation where that is over already
     */
    MutateReply answered(MutateReply reply);

    /** The leader says so of something that this client has changed in another way. */
    void seen(Attributes now);

    /**
     * Completes when the leader knows, durably, all that was answered here so far; null: it does.
     */
    @Nullable CompletableFuture<Void> told();

    /** Completes when what the recall asks back is given back. */
    CompletableFuture<Void> recalled(RecallRequest recall);
}
