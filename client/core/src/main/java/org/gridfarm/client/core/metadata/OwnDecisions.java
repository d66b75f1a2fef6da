package org.gridfarm.client.core.metadata;

import org.gridfarm.client.core.session.FarmSession;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.MakeDirectory;
import org.gridfarm.protocol.wire.MutateReply;
import org.gridfarm.protocol.wire.MutateRequest;
import org.gridfarm.protocol.wire.OpenReply;
import org.gridfarm.protocol.wire.RecallRequest;
import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
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
                public @Nullable CompletableFuture<@Nullable MutateReply> answerEarly(
                        MutateRequest.Builder request) {
                    return null;
                }

                @Override
                public <T> @Nullable T opened(
                        Credentials who,
                        long inode,
                        boolean runs,
                        Function<Attributes, @Nullable T> opens) {
                    return null;
                }

                @Override
                public long asks(Supplier<MutateRequest> request) {
                    return 0;
                }

                @Override
                public long asks(long inode) {
                    return 0;
                }

                @Override
                public MutateReply answered(long asked, MutateReply reply) {
                    return reply;
                }

                @Override
                public void answered(long asked, @Nullable Attributes now) {}

                @Override
                public void over(long asked) {}

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

        /**
         * When the kernel has last written into a file that it writes here, by its own clock; 0: it
         * writes none. Looks at the disk. Empty where this thread must not.
         */
        OptionalLong writtenAt(long inode);

        /**
         * The file's modification time is set: what was written until then does not count. As
         * {@link #isOpen}.
         *
         * @param written from {@link #writtenAt}
         */
        void modificationTimeSet(long inode, long written);

        /** The leader may not know that the file is open here. As {@link #isOpen}. */
        boolean isUntold(long inode);

        /** Completes when the leader knows of all that is open here on these files. */
        CompletableFuture<Void> tell(Collection<Long> inodes);

        /** To be taken before the leader is asked for a directory. */
        long[] stampsBeforeGiven();

        /**
         * Nobody else can change it now, until it is recalled from this client.
         *
         * @param before from {@link #stampsBeforeGiven}
         */
        void given(GivenDirectory directory, long[] before);

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
     * The answer to a change that does not depend on what was written and is still being closed.
     * Null: it may, or is not this client's to answer.
     *
     * @param request built only where it may be this client's to answer
     */
    @Nullable CompletableFuture<@Nullable MutateReply> answerEarly(MutateRequest.Builder request);

    /**
     * Opens a file for reading, if this client may decide that. The leader need not hear of it
     * before the file may change, or lose its name or its place in a directory of this client.
     *
     * @param runs the file is to be run, too
     * @param opens is given the file's attributes, under a lock: nothing that is decided here comes
     *     in between
     * @return what {@code opens} returns; null: the leader is to be asked
     */
    <T> @Nullable T opened(
            Credentials who, long inode, boolean runs, Function<Attributes, @Nullable T> opens);

    /**
     * The leader is about to be asked for a change that is not decided here; called before it is
     * looked at whether the leader knows everything. One of {@link #answered} follows.
     *
     * @param request made only where it may concern a file in an own directory
     * @return what is to be said with the answer
     */
    long asks(Supplier<MutateRequest> request);

    /** The same of a call that may change this inode. */
    long asks(long inode);

    /**
     * The leader has answered this.
     *
     * @param asked from {@link #asks}
     * @return the same; without its delegation where that is over already
     */
    MutateReply answered(long asked, MutateReply reply);

    /**
     * The call is over.
     *
     * @param asked from {@link #asks}
     * @param now how the inode stands after the change; null: that is not known
     */
    void answered(long asked, @Nullable Attributes now);

    /**
     * Nothing more is going to be asked.
     *
     * @param asked from {@link #asks}
     */
    void over(long asked);

    /**
     * Completes when the leader knows, durably, all that was answered here so far; null: it does.
     */
    @Nullable CompletableFuture<Void> told();

    /** Completes when what the recall asks back is given back. */
    CompletableFuture<Void> recalled(RecallRequest recall);
}
