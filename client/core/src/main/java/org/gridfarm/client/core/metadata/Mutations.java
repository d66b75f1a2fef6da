package org.gridfarm.client.core.metadata;

import com.google.protobuf.ByteString;

import org.gridfarm.client.core.cache.Change;
import org.gridfarm.client.core.cache.LeasedCache;
import org.gridfarm.client.core.session.FarmSession;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.wire.*;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Numbered mutations at the leader. The keys a mutation touches are neither served nor filled while
 * it is under way; at its answer the new state is installed where this client holds the grant.
 */
final class Mutations {
    private static final long[] NONE = {};

    private final FarmSession session;
    private final LeasedCache cache;
    private final Sequences sequences;
    private volatile @Nullable SizeSource sizes;
    private volatile @Nullable GivenUp givenUp;
    private volatile OwnDecisions own = OwnDecisions.NONE;
    private final List<ChangeListener> listeners = new CopyOnWriteArrayList<>();

    Mutations(FarmSession session, LeasedCache cache, Sequences sequences) {
        this.sequences = sequences;
        this.session = session;
        this.cache = cache;
    }

    void sizesFrom(SizeSource source) {
        sizes = source;
    }

    void along(GivenUp handles) {
        givenUp = handles;
    }

    void decidesBy(OwnDecisions decisions) {
        own = decisions;
    }

    OwnDecisions own() {
        return own;
    }

    void add(ChangeListener listener) {
        listeners.add(listener);
    }

    Sequences sequences() {
        return sequences;
    }

    static ByteString bytes(Name name) {
        return com.google.protobuf.UnsafeByteOperations.unsafeWrap(
                name.bytes()); // a Name's bytes never change
    }

    /** What one change does to the cache when its answer has come. */
    private interface Outcome extends BiConsumer<Change, MutateReply> {}

    CompletableFuture<MutateReply> create(Credentials who, CreateFile file) {
        Name name = Name.of(file.getName().toByteArray());
        boolean isNew = file.getExclusive(); // else it may have been there
        return entry(who, "create", file.getParent(), name, m -> m.setCreate(file), isNew);
    }

    /** Something new that appears under a name. */
    CompletableFuture<MutateReply> entry(
            Credentials who,
            String operation,
            long parent,
            Name name,
            Consumer<MutateRequest.Builder> body) {
        return entry(who, operation, parent, name, body, true);
    }

    private CompletableFuture<MutateReply> entry(
            Credentials who,
            String operation,
            long parent,
            Name name,
            Consumer<MutateRequest.Builder> body,
            boolean isNew) {
        long[] made = cache.madeStamp();
        long[] any = isNew ? made : cache.anyStamp();
        Change change = cache.begin(new long[] {parent}, new long[] {parent});
        return send(
                        who,
                        operation,
                        Failures.subject(parent, name),
                        body,
                        change,
                        (c, reply) -> {
                            c.entry(0, name, reply.getAttributes().getInode());
                            parents(c, reply);
                        })
                .thenApply(reply -> {
                    boolean held =
                            reply.getAttributesCacheable()
                                    || change.firstIsHeld()
                                    || reply.hasDelegation();
                    if (held && (isNew || change.isDecidedHere())) {
                        cache.fillMade(made, reply.getAttributes());
                    } else if (held) {
                        cache.fillAttributes(any, reply.getAttributes());
                    }
                    if (reply.hasDelegation()) {
                        cache.fillBorn(made, reply.getDelegation().getDirectory());
                    }
                    return reply;
                });
    }

    CompletableFuture<MutateReply> link(Credentials who, long inode, long parent, Name name) {
        MakeLink link =
                MakeLink.newBuilder()
                        .setInode(inode)
                        .setParent(parent)
                        .setName(bytes(name))
                        .build();
        Change change = cache.begin(new long[] {parent, inode}, new long[] {parent});
        return send(
                who,
                "link",
                Failures.subject(parent, name),
                m -> m.setLink(link),
                change,
                (c, reply) -> {
                    c.entry(0, name, inode)
                            .attributes(reply.getAttributes(), reply.getAttributesCacheable());
                    parents(c, reply);
                });
    }

    CompletableFuture<MutateReply> remove(
            Credentials who, long parent, Name name, boolean directory) {
        Remove remove = Remove.newBuilder().setParent(parent).setName(bytes(name)).build();
        Change change =
                cache.begin(withTargets(parent, parent, name, parent, name), new long[] {parent});
        String operation = directory ? "rmdir" : "unlink";
        Consumer<MutateRequest.Builder> body =
                directory ? m -> m.setRmdir(remove) : m -> m.setUnlink(remove);
        return send(
                        who,
                        operation,
                        Failures.subject(parent, name),
                        body,
                        change,
                        (c, reply) -> {
                            c.entry(0, name, null);
                            parents(c, reply);
                        })
                .thenCompose(reply -> {
                    if (directory && reply.hasAttributes()) {
                        cache.recallContent(reply.getAttributes().getInode());
                    }
                    return forgotten(reply);
                });
    }

    CompletableFuture<MutateReply> rename(Credentials who, Rename rename, Name name, Name toName) {
        long from = rename.getParent();
        long to = rename.getToParent();
        Change change =
                cache.begin(withTargets(from, from, name, to, toName), new long[] {from, to});
        return send(
                        who,
                        "rename",
                        Failures.subject(from, name),
                        m -> m.setRename(rename),
                        change,
                        (c, reply) -> {
                            // Of a file with several names both may be names of it, and then rename
                            // does nothing.
                            boolean plain =
                                    reply.getAttributes().getType() == FileType.DIRECTORY
                                            || reply.getAttributes().getNlink() == 1;
                            if (!plain
                                    || rename.getExchange()
                                    || rename.getWhiteout()
                                    || (from == to && name.equals(toName))) {
                                c.unknownEntry(0, name).unknownEntry(1, toName);
                            } else {
                                c.entry(0, name, null)
                                        .entry(1, toName, reply.getAttributes().getInode());
                            }
                            parents(c, reply);
                        })
                .thenCompose(this::forgotten);
    }

    CompletableFuture<MutateReply> setAttributes(Credentials who, SetAttributes set) {
        boolean setsTime = set.hasMtime() || set.getMtimeNow();
        Change change = cache.begin(new long[] {set.getInode()}, NONE);
        return inode(who, "setattr", m -> m.setSetAttributes(set), change)
                .thenCompose(reply -> {
                    SizeSource source = sizes;
                    // Who decided it here has told already, before anybody could write.
                    return setsTime && source != null && !change.isDecidedHere()
                            ? source.modificationTimeSet(set.getInode()).thenApply(done -> reply)
                            : CompletableFuture.completedFuture(reply);
                });
    }

    /** A change of one inode alone. */
    CompletableFuture<MutateReply> inode(
            Credentials who, String operation, long inode, Consumer<MutateRequest.Builder> body) {
        return inode(who, operation, body, cache.begin(new long[] {inode}, NONE));
    }

    private CompletableFuture<MutateReply> inode(
            Credentials who,
            String operation,
            Consumer<MutateRequest.Builder> body,
            Change change) {
        return send(
                who,
                operation,
                Failures.subject(change.inodes()[0]),
                body,
                change,
                (c, reply) -> {
                    if (reply.hasAttributes()) {
                        c.attributes(reply.getAttributes(), reply.getAttributesCacheable());
                    }
                });
    }

    /** A change that touches nothing that could be cached. */
    CompletableFuture<MutateReply> plain(
            Credentials who,
            String operation,
            String subject,
            Consumer<MutateRequest.Builder> body) {
        return send(who, operation, subject, body, cache.begin(NONE, NONE), (c, reply) -> {});
    }

    private CompletableFuture<MutateReply> send(
            Credentials who,
            String operation,
            String subject,
            Consumer<MutateRequest.Builder> body,
            Change change,
            Outcome outcome) {
        long sequence = sequences.take();
        MutateRequest.Builder builder =
                MutateRequest.newBuilder()
                        .setSession(session.id())
                        .setSequence(sequence)
                        .setSettled(sequences.settled())
                        .setCredentials(who);
        body.accept(builder);
        CompletableFuture<@Nullable MutateReply> early = own.answerEarly(builder);
        if (early != null) {
            return early.handle((reply, thrown) -> {
                if (thrown != null) sequences.answered(sequence);
                change.decidedHere();
                return outcome(change, outcome, operation, subject, reply, thrown);
            });
        }
        GivenUp others = givenUp;
        List<Long> along = others == null ? List.of() : others.take(change.inodes());
        builder.addAllReleased(along);
        CompletableFuture<Void> before =
                others == null || builder.hasCommit() ? null : others.beforeChange(change.inodes());
        CompletableFuture<MutateReply> made =
                before == null
                        ? answeredOrSent(builder, sequence, change)
                        : before.thenCompose(over -> answeredOrSent(builder, sequence, change));
        return made.handle((reply, thrown) -> {
            if (thrown != null && others != null && !along.isEmpty()) {
                others.putBack(along);
            }
            return outcome(change, outcome, operation, subject, reply, thrown);
        });
    }

    private MutateReply outcome(
            Change change,
            Outcome outcome,
            String operation,
            String subject,
            @Nullable MutateReply reply,
            @Nullable Throwable thrown) {
        if (reply == null) {
            change.failed();
            tell(change);
            throw Failures.about(Objects.requireNonNull(thrown), operation, subject);
        }
        outcome.accept(change, reply);
        change.done();
        tell(change);
        return reply;
    }

    private CompletableFuture<MutateReply> answeredOrSent(
            MutateRequest.Builder builder, long sequence, Change change) {
        CompletableFuture<@Nullable MutateReply> decided = own.answer(builder::build);
        return decided == null
                ? sentNow(builder, sequence)
                : decided.whenComplete(
                                (reply, refused) -> {
                                    // Of what was decided the leader is still to hear.
                                    if (refused != null) sequences.answered(sequence);
                                })
                        .thenCompose(reply -> {
                            if (reply == null) return sentNow(builder, sequence);
                            change.decidedHere();
                            return CompletableFuture.completedFuture(reply);
                        });
    }

    private CompletableFuture<MutateReply> sentNow(MutateRequest.Builder builder, long sequence) {
        long asked = own.asks(builder::build);
        return sent(builder)
                .whenComplete((reply, thrown) -> {
                    sequences.answered(sequence);
                    if (thrown != null) own.answered(asked, (Attributes) null);
                })
                .thenApply(reply -> own.answered(asked, reply));
    }

    private void tell(Change change) {
        if (!listeners.isEmpty()) {
            tell(change.inodes(), change.directories());
        }
    }

    private void tell(long[] inodes, long[] directories) {
        listeners.forEach(listener -> listener.changed(inodes, directories));
    }

    /**
     * Each attempt tells anew which answers have come: whoever is refused because too many had not
     * is let in when they have.
     *
     * <p>What an open file was given belongs to its session, and so does what a former process may
     * have been answered; everything else may be done in the next one.
     */
    private CompletableFuture<MutateReply> sent(MutateRequest.Builder builder) {
        boolean formers = sequences.isFormers(builder.getSequence());
        if (formers) {
            builder.setSession(session.inheritance().session());
        }
        if (formers || builder.hasCommit()) {
            return session.leader(
                    MetadataMethods.MUTATE,
                    () -> builder.clone().setSettled(sequences.settled()).build(),
                    session.deadline());
        }
        return session.leaderInAnySession(
                MetadataMethods.MUTATE,
                () -> {
                    long id = session.id();
                    MutateRequest.Builder now =
                            builder.clone().setSession(id).setSettled(sequences.settled());
                    if (now.hasCreate() && now.getCreate().hasOpen()) {
                        now.getCreateBuilder().getOpenBuilder().setSession(id);
                    } else if (now.hasTemporary()) {
                        now.getTemporaryBuilder().getOpenBuilder().setSession(id);
                    }
                    return now.build();
                });
    }

    private static void parents(Change change, MutateReply reply) {
        if (reply.hasParent()) {
            change.attributes(reply.getParent(), false);
        }
        if (reply.hasOtherParent()) {
            change.attributes(reply.getOtherParent(), false);
        }
    }

    /**
     * What lost, changed or was given a name has other attributes now (links, times, parent); where
     * that was its last name, it is gone when the answer is passed on.
     */
    private CompletableFuture<MutateReply> forgotten(MutateReply reply) {
        // Of what is removed they tell the same; of what a rename replaces only the latter does.
        boolean another = reply.getGone().getInode() != reply.getAttributes().getInode();
        return CompletableFuture.allOf(
                        forgotten(reply.hasAttributes(), reply.getAttributes()),
                        forgotten(reply.hasOther(), reply.getOther()),
                        forgotten(reply.hasGone() && another, reply.getGone()))
                .thenApply(done -> reply);
    }

    private CompletableFuture<Void> forgotten(boolean known, Attributes now) {
        GivenUp kept = givenUp;
        if (!known) return CompletableFuture.completedFuture(null);
        long inode = now.getInode();
        cache.recallAttributes(inode);
        tell(new long[] {inode}, NONE);
        return kept == null || now.getNlink() > 0
                ? CompletableFuture.completedFuture(null)
                : kept.unnamed(inode);
    }

    /** The directories, and what the names are known to lead to. */
    private long[] withTargets(long first, long from, Name name, long to, Name toName) {
        long[] keys = new long[4];
        int count = 0;
        keys[count++] = first;
        if (to != first) {
            keys[count++] = to;
        }
        if (cache.entry(from, name) instanceof Long target) {
            keys[count++] = target;
        }
        if ((from != to || !name.equals(toName))
                && cache.entry(to, toName) instanceof Long replaced) {
            keys[count++] = replaced;
        }
        return Arrays.copyOf(keys, count);
    }
}
