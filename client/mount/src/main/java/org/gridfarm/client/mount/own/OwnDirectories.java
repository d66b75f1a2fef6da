package org.gridfarm.client.mount.own;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.client.core.metadata.OwnDecisions;
import org.gridfarm.client.core.session.LeaderCalls;
import org.gridfarm.client.core.session.SessionKeeper;
import org.gridfarm.client.core.session.TimeLimit;
import org.gridfarm.namespace.own.OwnGround;
import org.gridfarm.namespace.own.Verdict;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.error.Retry;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.DataRecall;
import org.gridfarm.protocol.wire.DirectoryDelegation;
import org.gridfarm.protocol.wire.MakeDirectory;
import org.gridfarm.protocol.wire.MutateReply;
import org.gridfarm.protocol.wire.MutateRequest;
import org.gridfarm.protocol.wire.OpenedByShipment;
import org.gridfarm.protocol.wire.RecallRequest;
import org.gridfarm.protocol.wire.RecalledDirectory;
import org.gridfarm.protocol.wire.SetAttributes;
import org.gridfarm.protocol.wire.ShipReply;
import org.gridfarm.protocol.wire.ShipRequest;
import org.gridfarm.protocol.wire.ShippedCommand;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Decides in the directories that are delegated to this mount, and ships what it has decided.
 *
 * <pre>
 *   decided, in the log --shipped--> under way --answered--> told, out of the log
 * </pre>
 *
 * One shipment is under way at a time, so that the leader gets the commands in their order. What
 * waits leaves at once when somebody waits for it, else a moment after the shipment before; so what
 * a host takes along when it dies is some milliseconds old. When the leader has not answered for a
 * second, nothing more is decided here: calls wait for the leader, as without delegations.
 *
 * <p>Thread-safe.
 */
public final class OwnDirectories implements OwnDecisions, SessionKeeper, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(OwnDirectories.class);

    private static final int LOG_BYTES = 16 << 20;
    private static final Duration AGAIN = Duration.ofMillis(50);

    /** From a recall to its answer, as far as that waits for what is open. */
    private static final Duration ANSWERED_WITHIN = Duration.ofSeconds(3);

    /** A lease that is about to end may be over at the leader when the answer reaches a program. */
    private static final Duration LEASE_MIN = Duration.ofSeconds(1);

    /** Some 300 bytes each: more than one build or archive has. */
    static final long INODES_MAX = 200_000;

    private final Clock clock;
    private final LongSupplier fileClock;
    private final String attached;
    private final Takeovers takeovers;
    private volatile Wish wish;
    private @Nullable Client client; // set before the first call
    private volatile Supplier<CompletableFuture<?>> readings =
            () -> CompletableFuture.completedFuture(null);

    @GuardedBy("this")
    private final OwnGround ground = new OwnGround();

    @GuardedBy("this")
    private final Shipping shipping;

    /** Asked back before this mount had heard that it has them. */
    @GuardedBy("this")
    private final EarlyRecalls early = new EarlyRecalls();

    @GuardedBy("this")
    private @Nullable CompletableFuture<ShipReply> call;

    @GuardedBy("this")
    private long opens;

    @GuardedBy("this")
    private long different;

    /**
     * @param fileClock nanoseconds since 1970 as the kernel dates what it writes
     * @param attached name of the storage node on this host; empty: none
     * @param file where what is not told yet stands; what a former process left there is told first
     * @param wish for directories of its own; without any it only tells what the former process
     *     decided
     * @param goesOn there was a former process
     */
    public OwnDirectories(
            Clock clock,
            LongSupplier fileClock,
            String attached,
            Path file,
            Wish wish,
            boolean goesOn)
            throws IOException {
        this.fileClock = fileClock;
        this.wish = wish;
        this.clock = clock;
        this.attached = attached;
        OwnLog ring = OwnLog.open(file, LOG_BYTES);
        List<ShippedCommand> kept = Shipping.recovered(ring);
        this.shipping = new Shipping(ring, kept, goesOn, clock.nanoTime());
        Existing existing =
                new Existing(this, ground, shipping, early, this::client, this::shipSoon);
        this.takeovers = new Takeovers(existing, clock);
        if (!kept.isEmpty()) {
            log.info("{} changes of the former process are still to be told", kept.size());
        }
    }

    @Override
    public void begins(Client of) {
        client = of;
        of.session().keepFirst(this);
    }

    /** Nobody would give this client any. What it has it keeps until it is asked for. */
    public void wishForNone() {
        wish = Wish.NONE;
    }

    /**
     * @param readings tells the leader when files were read, which is forgotten with their leases
     */
    public void tellsOf(Supplier<CompletableFuture<?>> readings) {
        this.readings = readings;
    }

    private Client client() {
        Client known = client;
        if (known == null) throw new IllegalStateException("asked before it began");
        return known;
    }

    // ---- deciding

    @Override
    public synchronized MakeDirectory wished(MakeDirectory mkdir) {
        if (wish == Wish.NONE || shipping.isStopped() || ground.size() >= INODES_MAX) return mkdir;
        return mkdir.toBuilder().setDelegate(true).setNumbers(ground.numbersWanted()).build();
    }

    @Override
    public @Nullable CompletableFuture<@Nullable MutateReply> answer(
            Supplier<MutateRequest> request) {
        synchronized (this) {
            if (shipping.isStopped() || (ground.isEmpty() && wish != Wish.ALL)) return null;
        }
        MutateRequest asked = request.get();
        CompletableFuture<Void> taken = wish == Wish.ALL ? takeovers.before(asked) : null;
        return taken == null ? answer(asked, true) : after(taken, asked);
    }

    @Override
    public @Nullable CompletableFuture<@Nullable MutateReply> answerEarly(
            MutateRequest.Builder request) {
        synchronized (this) {
            if (shipping.isStopped() || ground.isEmpty() || !ground.isEarly(request)) return null;
        }
        return answer(request.build(), false);
    }

    /**
     * @param waits until the leader knows what it has to know before; else the answer is null
     */
    private @Nullable CompletableFuture<@Nullable MutateReply> answer(
            MutateRequest request, boolean waits) {
        Verdict verdict;
        MutateReply reply = null;
        boolean many;
        long unheard;
        OptionalLong written = writtenBefore(request);
        if (written.isEmpty()) return null;
        synchronized (this) {
            if (!mayDecide(request)) return null;
            unheard = openUnheard(request);
            boolean ready = unheard == 0 && !isToWait();
            if (!ready && !waits) return null;
            verdict = ready ? decided(request, written.getAsLong()) : null;
            if (verdict instanceof Verdict.Done done) {
                shipping.add(done.command(), clock.nanoTime());
                reply = answer(request, done.reply());
            }
            many = shipping.isUrgent();
        }
        if (unheard != 0) return after(client().tell(List.of(unheard)), request);
        return switch (verdict) {
            case null -> afterOthers(request);
            case Verdict.Leaders _ -> null;
            case Verdict.Refused refused -> CompletableFuture.failedFuture(refused.why());
            case Verdict.Done _ -> {
                if (many) ship();
                else shipSoon();
                trim();
                yield CompletableFuture.completedFuture(reply);
            }
        };
    }

    @GuardedBy("this")
    private Verdict decided(MutateRequest request, long written) {
        long now = Math.max(fileClock.getAsLong(), written);
        Verdict verdict = ground.decide(request, request.getCredentials(), now, client()::isOpen);
        // Before a commit tells when it was written: that would undo this.
        if (verdict instanceof Verdict.Done && setsModificationTime(request)) {
            client().modificationTimeSet(request.getSetAttributes().getInode(), written);
        }
        return verdict;
    }

    private static boolean setsModificationTime(MutateRequest request) {
        SetAttributes set = request.getSetAttributes();
        return set.hasMtime() || set.getMtimeNow();
    }

    /**
     * When the file was last written whose modification time is set; 0: that does not matter. What
     * was written before must not count as written since, and between two of its ticks the kernel
     * may date a write later than it tells the time.
     */
    private OptionalLong writtenBefore(MutateRequest request) {
        long inode = request.getSetAttributes().getInode();
        boolean matters = setsModificationTime(request) && covers(inode);
        return matters ? client().writtenAt(inode) : OptionalLong.of(0);
    }

    public synchronized boolean isOwn(long directory) {
        return ground.isOwn(directory);
    }

    private synchronized boolean covers(long inode) {
        return ground.covers(inode);
    }

    /** A file that it takes something from, and the leader may not know to be open; 0: none. */
    @GuardedBy("this")
    private long openUnheard(MutateRequest request) {
        long file = ground.loses(request);
        return file != 0 && client().isUntold(file) ? file : 0;
    }

    @Override
    public synchronized <T> @Nullable T opened(
            Credentials who, long inode, boolean runs, Function<Attributes, @Nullable T> opens) {
        if (!mayDecide(client().session().id())) return null;
        Attributes now = ground.readable(inode, runs, who);
        T opened = now == null ? null : opens.apply(now);
        if (opened != null) this.opens++;
        return opened;
    }

    /** The leader is told of others first. */
    private CompletableFuture<@Nullable MutateReply> afterOthers(MutateRequest request) {
        CompletableFuture<Void> others = told();
        return others == null ? CompletableFuture.completedFuture(null) : after(others, request);
    }

    private CompletableFuture<@Nullable MutateReply> after(
            CompletableFuture<Void> before, MutateRequest request) {
        return TimeLimit.on(
                        before,
                        clock,
                        client().session().deadline(),
                        "change",
                        "the metaserver does not keep up")
                .thenCompose(done -> {
                    CompletableFuture<@Nullable MutateReply> now = answer(request, true);
                    return now == null ? CompletableFuture.completedFuture(null) : now;
                });
    }

    @GuardedBy("this")
    private boolean mayDecide(MutateRequest request) {
        return mayDecide(request.getSession())
                && request.getSerializedSize() < Shipping.COMMAND_BYTES_MAX;
    }

    @GuardedBy("this")
    private boolean mayDecide(long session) {
        return !shipping.isStopped()
                && !ground.isEmpty()
                && session == client().session().id()
                && client().session().leaderLeaseNanosLeft() >= LEASE_MIN.toNanos();
    }

    @GuardedBy("this")
    private boolean isToWait() {
        return shipping.isBehind(clock.nanoTime())
                || (ground.numbersLeft() == 0 && !shipping.isNothing());
    }

    /** As the leader would have answered. */
    @GuardedBy("this")
    private MutateReply answer(MutateRequest request, MutateReply decision) {
        MutateReply.Builder reply = decision.toBuilder().setAttributesCacheable(true);
        if (request.hasMkdir() && ground.isOwn(decision.getAttributes().getInode())) {
            reply.setDelegation(
                    DirectoryDelegation.newBuilder()
                            .setDirectory(decision.getAttributes().getInode()));
        }
        if (request.getCreate().hasOpen()) {
            reply.setOpened(
                    OwnOpens.opened(request.getCreate(), decision.getAttributes(), attached));
        }
        return reply.build();
    }

    @Override
    public synchronized long asks(Supplier<MutateRequest> request) {
        // What is asked now may be of a directory that is ours when the answer comes.
        boolean matters = !ground.isEmpty() || wish == Wish.ALL;
        return matters ? ground.asks(request.get()) : 0;
    }

    @Override
    public synchronized long asks(long inode) {
        return ground.asks(inode);
    }

    @Override
    public synchronized void over(long asked) {
        ground.over(asked);
    }

    @Override
    public synchronized MutateReply answered(long asked, MutateReply reply) {
        ground.answered(asked, reply.hasAttributes() ? reply.getAttributes() : null);
        if (!reply.hasDelegation()) return reply;
        boolean over = early.remove(reply.getDelegation().getDirectory());
        if (over || !shipping.keepsGiven() || !ground.add(reply.getDelegation())) {
            return reply.toBuilder().clearDelegation().build();
        }
        return reply;
    }

    @Override
    public synchronized void answered(long asked, @Nullable Attributes now) {
        ground.answered(asked, now);
    }

    // ---- telling

    @Override
    public @Nullable CompletableFuture<Void> told() {
        CompletableFuture<Void> mine;
        synchronized (this) {
            mine = shipping.told();
        }
        if (mine != null) ship();
        return mine;
    }

    private void shipSoon() {
        Duration wait;
        synchronized (this) {
            wait = shipping.nextIn(clock.nanoTime());
        }
        if (wait != null) clock.after(wait, this::shipInTime);
    }

    private void shipInTime() {
        synchronized (this) {
            shipping.timeIsUp();
        }
        ship();
    }

    private void ship() {
        Shipping.Begun begun;
        synchronized (this) {
            begun = shipping.begin(shipment(), clock.nanoTime());
        }
        if (begun == null) return;
        CompletableFuture<ShipReply> asked =
                client().session()
                        .leaderAtOnce(MetadataMethods.SHIP, begun::request, Duration.ZERO);
        synchronized (this) {
            if (shipping.isCurrent(begun)) call = asked;
        }
        asked.whenComplete((reply, thrown) -> answered(begun, reply, thrown));
    }

    /** All but the commands. */
    @GuardedBy("this")
    private ShipRequest.Builder shipment() {
        return ShipRequest.newBuilder()
                .setSession(client().session().id())
                .setNumbers(ground.isEmpty() ? 0 : ground.numbersWanted());
    }

    private void answered(
            Shipping.Begun begun, @Nullable ShipReply reply, @Nullable Throwable thrown) {
        synchronized (this) {
            if (!shipping.isCurrent(begun)) return; // told again at another leader
            call = null;
        }
        if (reply != null) {
            take(begun, reply);
            goOn(reply);
            return;
        }
        FarmException failure =
                FarmException.of(Objects.requireNonNull(thrown), "tell of changes", "");
        boolean session =
                failure.kind() == ErrorKind.SESSION_ENDED || failure.kind() == ErrorKind.CANCELLED;
        if (session) waitForSession(failure);
        else lose(failure);
    }

    /** Of what was shipped, that is told. */
    private void take(Shipping.Begun begun, ShipReply reply) {
        List<CompletableFuture<Void>> over;
        synchronized (this) {
            over = shipping.took(begun, reply);
            ground.addNumbers(reply.getFirstNumber(), reply.getNumbers());
            different += reply.getDifferentCount();
        }
        ShipRequest shipment = begun.request();
        for (int i = 0; i < reply.getDone(); i++) {
            client().settled(shipment.getCommands(i).getRequest().getSequence());
        }
        for (OpenedByShipment one : reply.getOpenedList()) {
            client().opened(one.getHandle(), one.getOpened());
        }
        for (int index : reply.getDifferentList()) {
            log.error(
                    "the leader came to something else: {}",
                    shipment.getCommands(index).getRequest());
        }
        over.forEach(waiter -> waiter.complete(null));
    }

    private void goOn(ShipReply reply) {
        FarmException refusal = refusal(reply);
        if (refusal == null) {
            boolean now;
            synchronized (this) {
                now = shipping.isUrgent();
            }
            if (now) ship();
            else shipSoon();
        } else if (refusal.kind().retry() != Retry.NEVER) {
            log.debug("told again: {}", reply.getReason());
            clock.after(AGAIN, this::ship);
        } else {
            lose(refusal);
        }
    }

    private static @Nullable FarmException refusal(ShipReply reply) {
        return reply.getRefusal() == 0
                ? null
                : new FarmException(
                        ErrorKind.of(reply.getRefusal()), "ship", "", reply.getReason());
    }

    private void waitForSession(FarmException failure) {
        List<CompletableFuture<Void>> over;
        synchronized (this) {
            over = shipping.stop();
        }
        over.forEach(waiter -> waiter.completeExceptionally(failure));
    }

    /** What was answered and not told is not, and never will be: nobody may go on believing it. */
    private void lose(FarmException why) {
        Shipping.Lost lost;
        synchronized (this) {
            lost = shipping.lose();
            ground.clear();
        }
        for (ShippedCommand one : lost.commands()) {
            log.error(
                    "lost, with the session or its directory ({}): {}",
                    why.getMessage(),
                    one.getRequest());
            client().settled(one.getRequest().getSequence());
        }
        lost.waiters().forEach(waiter -> waiter.completeExceptionally(why));
        if (!lost.commands().isEmpty()) {
            client().forget(RecallRequest.newBuilder().setAll(true).build());
        }
        shipSoon();
    }

    // ---- giving back

    @Override
    public CompletableFuture<Void> recalled(RecallRequest recall) {
        RecallRequest.Builder forgotten = RecallRequest.newBuilder();
        boolean asked = false;
        CompletableFuture<Void> others = null;
        synchronized (this) {
            for (DataRecall data : recall.getDataList()) {
                if (!data.getDelegation()) continue;
                asked = true;
                if (takeBack(data.getInode(), forgotten)) continue;
                early.add(data.getInode());
                others = shipping.inherited();
            }
        }
        if (!asked) return CompletableFuture.completedFuture(null);
        CompletableFuture<Void> before = told();
        return (before == null ? CompletableFuture.<Void>completedFuture(null) : before)
                .thenCombine(inTime(others), (told, over) -> told)
                .thenCompose(done -> givenBack(forgotten.build()));
    }

    /** A session that owes the answer for longer ends. */
    private CompletableFuture<Void> inTime(@Nullable CompletableFuture<Void> others) {
        if (others == null) return CompletableFuture.completedFuture(null);
        CompletableFuture<Void> over = others.copy();
        clock.after(ANSWERED_WITHIN, () -> over.complete(null));
        return over;
    }

    /** Nothing is decided in them any more, and all that was is told. */
    private CompletableFuture<Void> givenBack(RecallRequest forgotten) {
        CompletableFuture<Void> opens = client().tell(forgotten.getAttributesList());
        return inTime(CompletableFuture.allOf(opens, readings.get()))
                .exceptionally(thrown -> {
                    log.warn("the leader does not know what is open: {}", thrown.getMessage());
                    return null;
                })
                .thenCompose(done -> client().forget(forgotten));
    }

    /** Nothing more is decided in it. False: it was not this mount's. */
    @GuardedBy("this")
    private boolean takeBack(long directory, RecallRequest.Builder forgotten) {
        if (!ground.isOwn(directory)) return false;
        forgotten.addDirectories(RecalledDirectory.newBuilder().setInode(directory));
        forgotten.addAllAttributes(ground.inodesOf(directory));
        ground.giveBack(directory);
        return true;
    }

    /** Keeps what is known of own directories within bounds: the oldest goes back. */
    private void trim() {
        RecallRequest.Builder forgotten = RecallRequest.newBuilder();
        long oldest;
        synchronized (this) {
            if (ground.size() < INODES_MAX || ground.isEmpty()) return;
            oldest = ground.directories().getFirst();
            takeBack(oldest, forgotten);
        }
        var unused =
                givenBack(forgotten.build())
                        .thenRun(() -> {
                            synchronized (this) {
                                shipping.giveBack(oldest);
                            }
                            shipSoon();
                        });
    }

    // ---- the session

    @Override
    public CompletionStage<Void> reopened(LeaderCalls calls, boolean lost) {
        CompletableFuture<ShipReply> former;
        synchronized (this) {
            former = call;
            call = null;
            shipping.reopened();
        }
        if (former != null) former.cancel(false);
        if (lost) {
            lose(new FarmException(ErrorKind.SESSION_ENDED, "ship", ""));
            goesOn();
            return CompletableFuture.completedFuture(null);
        }
        return toldTo(calls).thenRun(this::goesOn);
    }

    /**
     * All of it, before anything else is asked of that leader. What was delegated to a former
     * process is given back after its files are open again.
     */
    private CompletableFuture<Void> toldTo(LeaderCalls calls) {
        Shipping.Begun begun;
        synchronized (this) {
            begun = shipping.beginRestoring(shipment(), clock.nanoTime());
        }
        if (begun == null) return CompletableFuture.completedFuture(null);
        return calls.change(MetadataMethods.SHIP, begun.request())
                .handle((reply, thrown) -> {
                    FarmException refusal;
                    if (thrown == null) {
                        take(begun, reply);
                        refusal = refusal(reply);
                    } else {
                        refusal = FarmException.of(thrown, "tell of changes", "");
                    }
                    return refusal == null ? toldTo(calls) : toldAgain(calls, refusal);
                })
                .thenCompose(again -> again);
    }

    /** By this leader, or where it cannot be reached any more by the next one. */
    private CompletableFuture<Void> toldAgain(LeaderCalls calls, FarmException refusal) {
        if (!calls.isOpen()) return CompletableFuture.failedFuture(refusal);
        if (refusal.kind().retry() == Retry.NEVER) {
            lose(refusal);
            return toldTo(calls);
        }
        log.info("told again: {}", refusal.getMessage());
        CompletableFuture<Void> pause = new CompletableFuture<>();
        clock.after(AGAIN, () -> pause.complete(null));
        return pause.thenCompose(done -> toldTo(calls));
    }

    private void goesOn() {
        synchronized (this) {
            shipping.goesOn();
        }
        ship();
    }

    public synchronized OwnFigures figures() {
        return new OwnFigures(
                wish,
                ground.directories().size(),
                ground.size(),
                shipping.waiting(),
                Duration.ofNanos(shipping.oldestNanos(clock.nanoTime())).toMillis(),
                shipping.shipments(),
                shipping.shipped(),
                different,
                shipping.lost(),
                opens,
                takeovers.taken());
    }

    @Override
    public synchronized void close() throws IOException {
        shipping.close();
    }
}
