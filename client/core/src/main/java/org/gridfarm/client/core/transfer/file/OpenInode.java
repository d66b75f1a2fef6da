package org.gridfarm.client.core.transfer.file;

import org.gridfarm.client.core.session.Turns;
import org.gridfarm.client.core.transfer.idle.KeptOpens;
import org.gridfarm.client.core.transfer.known.GrowthLimit;
import org.gridfarm.client.core.transfer.known.KnownEnd;
import org.gridfarm.client.core.transfer.known.Place;
import org.gridfarm.client.core.transfer.known.Stripes;
import org.gridfarm.client.core.transfer.known.Uncommitted;
import org.gridfarm.client.core.transfer.local.GrantOwner;
import org.gridfarm.client.core.transfer.local.LocalReplica;
import org.gridfarm.client.core.transfer.local.LocalWriting;
import org.gridfarm.client.core.transfer.local.LocalWriting.By;
import org.gridfarm.client.core.transfer.node.TransferLimits;
import org.gridfarm.protocol.attributes.WriteTimes;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.layout.Striping;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.CommitContent;
import org.gridfarm.protocol.wire.DataMode;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.OpenReply;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * What all handles of this process for one inode share: its layout and tickets, mode, size and
 * times, and the chains of its objects. Thread-safe.
 *
 * <p>The metaserver knows modes per session, so two handles of one process are one to it; what one
 * wrote the other must see.
 */
public final class OpenInode implements GrantOwner {
    public final long inode;
    public final GrowthLimit limit = new GrowthLimit();
    public final Filling filling;
    public final PlainChanges plain = new PlainChanges(this);
    public final ObjectChains chains;
    final Turns commits = new Turns(1);
    private final Wiring wiring;
    private final Refreshing refreshing;

    /** Guards what follows; what is volatile is read without. */
    private final Object lock = new Object();

    private final Handles handles = new Handles();
    private final Stripes stripes;
    private Attributes attributes = Attributes.getDefaultInstance();
    private final KnownEnd end = new KnownEnd();
    private final Uncommitted uncommitted = end.uncommitted;
    private @Nullable CommitContent lastCommit; // as it was taken by the metaserver
    private WritingHere writing = WritingHere.NONE;
    private volatile @Nullable FarmException broken;
    private boolean layoutRecalled;
    private volatile boolean othersWrote;
    private int generationBefore; // as a former process knew it; until there is a layout

    public OpenInode(long inode, Wiring wiring) {
        this.inode = inode;
        this.wiring = wiring;
        this.stripes = new Stripes(wiring.attached().name());
        this.refreshing = new Refreshing(this, wiring);
        this.filling = new Filling(this, wiring);
        this.chains = new ObjectChains(this, wiring);
    }

    // ---- handles
    // ------------------------------------------------------------------------------------------------------------------------

    public void opened(FarmFileHandle handle, OpenReply reply) {
        synchronized (lock) {
            boolean chainIsKept = !handle.flags().write() && hasWriter();
            handles.add(handle);
            if (chainIsKept) {
                takeMode(reply);
            } else {
                take(reply, true);
            }
        }
    }

    /** Somebody may have mapped it, which outlives its handles. */
    boolean wasReadable() {
        synchronized (lock) {
            return handles.wasReadable();
        }
    }

    /** Where its bytes go now: it is decided here alone. */
    public Content content() {
        synchronized (lock) {
            boolean holds = broken == null && !layoutRecalled;
            Place here = stripes.here();
            return writing.content(end.mode(), holds ? here : here.unconfirmed());
        }
    }

    /** They go into that plain file, and nowhere else. */
    public boolean isIn(LocalWriting file) {
        return content() instanceof Content.Plain plain && plain.file() == file;
    }

    /**
     * What an open for reading was answered, as far as all of it still holds; null: it does not.
     */
    public @Nullable OpenReply asOpened() {
        synchronized (lock) {
            return broken == null
                            && !layoutRecalled
                            && end.mode() == DataMode.READ_SHARED
                            && !hasWriter()
                    ? KeptOpens.answer(attributes, stripes.layout())
                    : null;
        }
    }

    /** By a former process: nothing is known of it until it is refreshed. */
    public void restore(FarmFileHandle handle, int generation) {
        synchronized (lock) {
            handles.add(handle);
            generationBefore = generation;
            layoutRecalled = true;
        }
    }

    /**
     * What the former process wrote stands in the chain and perhaps nowhere else: it is to be made
     * to agree and committed.
     *
     * @param found of each stripe; null where nothing was written yet
     */
    public void restored(List<@Nullable ChainOutcome> found) {
        synchronized (lock) {
            stripes.restored(found);
            uncommitted.changedAt(stripes.changedAfter(WriteTimes.told(attributes)));
            end.is(stripes.fileSize());
            step(writing.doubted());
        }
    }

    /**
     * Under the lock. The layout with a chain is kept before one for reading only.
     *
     * @param withAttributes unless what was done here counts for more
     */
    private void take(OpenReply reply, boolean withAttributes) {
        if (withAttributes && !end.isOvertaken(reply.getAttributes().getVersion())) {
            attributes = reply.getAttributes();
        }
        takeMode(reply);
        limit.take(reply);
        if (stripes.answered(reply)) {
            step(writing.ended());
        }
        layoutRecalled = false;
    }

    /** Under the lock. */
    private void takeMode(OpenReply reply) {
        Attributes there = reply.getAttributes();
        end.answered(reply.getMode(), there.getVersion(), there.getSize());
        othersWrote |= reply.getOthersWrote();
    }

    public void closed(FarmFileHandle handle) {
        List<Runnable> last = List.of();
        synchronized (lock) {
            handles.remove(handle);
            if (!hasWriter()) {
                writingEnded();
                last = handles.takeAfterLastWriter();
            }
        }
        last.forEach(Runnable::run);
    }

    /**
     * Under the lock. What was not committed has been told to who closed; readers that are left see
     * what is, and can make no chain agree.
     */
    private void writingEnded() {
        step(writing.lastWriterLeft());
        if (uncommitted.isDirty()) {
            end.is(attributes.getSize());
        }
        uncommitted.forget();
    }

    /** Under the lock. A file that is not written any more has its grant ended. */
    private void step(WritingHere next) {
        LocalWriting before = writing.file();
        if (before != null && next.file() == null) {
            before.end();
        }
        writing = next;
    }

    void afterLastWriter(Runnable step) {
        synchronized (lock) {
            handles.afterLastWriter(step);
        }
    }

    boolean hasOneHandle() {
        return handles().size() == 1;
    }

    public List<FarmFileHandle> handles() {
        synchronized (lock) {
            return handles.all();
        }
    }

    // ---- what is known
    // ------------------------------------------------------------------------------------------------------------------

    public DataMode mode() {
        return end.mode();
    }

    /** So many of those bytes lie within the file, at most {@code length}; -1: others write. */
    public int known(long offset, int length) {
        synchronized (lock) {
            return writing.isHere() ? -1 : end.known(offset, length);
        }
    }

    public long size() {
        synchronized (lock) {
            return end.size();
        }
    }

    /** While nobody can change it; -1: somebody may. */
    long sizeUnchanging() {
        synchronized (lock) {
            return writing.isHere() ? -1 : end.unchanging();
        }
    }

    boolean isDirty() {
        synchronized (lock) {
            if (uncommitted.isDirty() || !writing.isHere()) {
                return uncommitted.isDirty();
            }
        }
        return plain.arePossible();
    }

    /**
     * The kernel may be given the replica to change it in place: it is the only one, here, and not
     * so long that to find what was changed takes long.
     */
    boolean mayBeChangedLocally() {
        synchronized (lock) {
            return end.isAlone()
                    && stripes.here() == Place.ONLY
                    && end.size() >= TransferLimits.CHANGED_LOCALLY_MIN
                    && end.size() <= TransferLimits.CHANGED_LOCALLY_MAX;
        }
    }

    /** The metaserver tells others that the object is this staged file for now. */
    boolean isMadeOf(long staged) {
        synchronized (lock) {
            return end.isAlone() && stripes.isMadeOf(staged);
        }
    }

    public Striping striping() {
        return stripes.striping();
    }

    /** The attributes with what was done here laid over them. */
    public Attributes attributes() {
        synchronized (lock) {
            return overlay(attributes);
        }
    }

    /**
     * Attributes that were known a moment ago, with what was done here laid over them; those of a
     * commit that has been answered since count for more. In one step: between two of them the
     * answer might come, after which nothing is laid over anything.
     */
    public Attributes shown(Attributes known) {
        synchronized (lock) {
            return known.getVersion() < attributes.getVersion()
                    ? overlay(attributes).toBuilder().setWriting(known.getWriting()).build()
                    : overlay(known);
        }
    }

    private Attributes overlay(Attributes base) {
        synchronized (lock) {
            Long allocated = stripes.allocated(this::existsSomewhere);
            return uncommitted.over(base, end.size(), allocated, end.isAlone());
        }
    }

    public boolean hasWriter() {
        synchronized (lock) {
            return handles.hasWriter();
        }
    }

    public boolean writesAlone() {
        synchronized (lock) {
            return end.isAlone() && hasWriter();
        }
    }

    /**
     * When the kernel wrote into it last, by its own clock; 0: it does not write it. Empty: that
     * cannot be told now, as while its node moves the file. Waits for the disk.
     */
    public OptionalLong writtenAt() {
        if (!(content() instanceof Content.Plain plain)) return OptionalLong.of(0);
        long time = plain.file().isPlaced() ? plain.file().replica.modified() : 0;
        return time == 0 ? OptionalLong.empty() : OptionalLong.of(time);
    }

    /**
     * Somebody has set the modification time. What the kernel writes from now on may seem to come
     * before this moment, since its clock for files goes by ticks: the object's own time tells what
     * counts.
     *
     * @return when that is known: after a claim that is under way
     */
    public CompletableFuture<Void> modificationTimeSet() {
        LocalWriting file = content().file();
        if (file == null) {
            modificationTimeSet(0);
            return CompletableFuture.completedFuture(null);
        }
        return file.whenPlaced(() ->
                wiring.attached()
                        .disk()
                        .get(() -> {
                            modificationTimeSet(objectTime());
                            return null;
                        }));
    }

    private long objectTime() {
        return content() instanceof Content.Plain plain ? plain.file().replica.modified() : 0;
    }

    /**
     * @param objectTime when the kernel wrote last, by its own clock; 0: it does not write
     */
    public void modificationTimeSet(long objectTime) {
        synchronized (lock) {
            uncommitted.timeSetAt(objectTime == 0 ? objectTimeSent() : objectTime);
        }
    }

    /** Of what was sent, as far as it is known. No other clock than the object's may count here. */
    private long objectTimeSent() {
        ChainOutcome last = stripes.lastOutcome(0);
        return Math.max(uncommitted.knownUpTo(), last == null ? 0 : last.getMtime());
    }

    // ---- changes
    // ------------------------------------------------------------------------------------------------------------------------

    /**
     * Where an append of this process goes while nobody else writes, until {@link #appendEnded}; -1
     * where the chain is to find its place, once {@link #reservedEnded}.
     */
    long reserve(long length) {
        synchronized (lock) {
            return writing.isHere() ? -1 : end.reserve(length);
        }
    }

    void appendEnded() {
        CompletableFuture<Void> ended;
        synchronized (lock) {
            ended = end.appendEnded();
        }
        ended.complete(null);
    }

    /** Completes when the appends that have a place of their own have arrived there, or failed. */
    public CompletableFuture<Void> reservedEnded() {
        synchronized (lock) {
            return end.reservedEnded();
        }
    }

    /**
     * @param more changes are under way
     */
    void changing(int more) {
        synchronized (lock) {
            end.changing(more);
        }
    }

    public void wrote(long last) {
        synchronized (lock) {
            end.wrote(last, stripes.changedLast(wiring.now()));
        }
    }

    void resized(long newSize) {
        synchronized (lock) {
            end.resized(newSize, stripes.changedLast(wiring.now()));
        }
    }

    /** The chain has told, a while ago. */
    void sizeSeen(long seen) {
        synchronized (lock) {
            end.seen(seen);
        }
    }

    /** From now on the object may change behind our back. */
    void grantedLocally(LocalReplica replica) {
        synchronized (lock) {
            // A staged file becomes the replica of the chain's head, or none.
            boolean isHeads = stripes.here() != Place.ELSEWHERE || !replica.isClaimed();
            By by = isHeads ? By.KERNEL : By.MAPPINGS;
            takeGrant(replica, by, replica.modifiedAtFirst()); // nobody has had it since
        }
    }

    /** Under the lock. */
    private void takeGrant(LocalReplica replica, By by, long objectTime) {
        if (!writing.isHere()) {
            boolean begun = generationBefore != 0;
            step(writing.granted(new LocalWriting(wiring.attached(), this, replica, begun, by)));
        }
        uncommitted.knownUpTo(objectTime);
    }

    /**
     * The same for this process itself, which has written through the chain until now: what is on
     * the way there must not arrive after what is written from now on.
     *
     * @param asked the layout that named it
     * @return false: not at this moment
     */
    boolean grantedHere(LocalReplica replica, Layout asked, By by) {
        long objectTime = replica.modified();
        synchronized (lock) {
            boolean still = end.underWay() == 0 && !writing.isHere() && hasWriter();
            boolean same = !layoutRecalled && stripes.layout().equals(asked);
            if (!still || !same || broken != null || !mayBeChangedLocally()) {
                return false;
            }
            takeGrant(replica, by, objectTime);
            return true;
        }
    }

    /**
     * The disk here is full, but for others in the chain there may be room elsewhere: what is
     * written from now on is sent, as it was at first.
     *
     * @return false: somebody else is at work on the file
     */
    boolean leftHere(LocalWriting here) {
        synchronized (lock) {
            boolean leaves = end.underWay() == 1 && writing.file() == here;
            if (leaves) {
                end.found(here.replica.size());
                step(writing.ended());
                writeFailed();
            }
            return leaves;
        }
    }

    /** The object was changed behind the chain's back, by this process. */
    void wroteHere() {
        synchronized (lock) {
            uncommitted.changed();
        }
    }

    /**
     * The object was changed behind our back: the chain is to be made to agree, and tells the size.
     */
    void wroteLocally() {
        if (!plain.arePossible()) return;
        synchronized (lock) {
            uncommitted.changed();
            step(writing.changedUnseen());
        }
    }

    /** Its last writer may have gone meanwhile, and was told. */
    void writeFailed() {
        synchronized (lock) {
            if (!handles.hasWriter()) return;
            uncommitted.changed();
            step(writing.doubted());
        }
    }

    /**
     * Whether the chain must be made to agree before the content is committed. Asking settles it.
     */
    public boolean takeUnsure() {
        WritingHere asked;
        ChainOutcome agreed;
        synchronized (lock) {
            asked = writing;
            step(asked.settled());
            agreed = stripes.lastOutcome(0);
        }
        LocalWriting file = asked.file();
        return asked.isUnsure() || (file != null && (agreed == null || !file.isAsAgreed(agreed)));
    }

    /** See {@link Uncommitted#knownUpTo()}. */
    public long timesKnownUpTo() {
        synchronized (lock) {
            return uncommitted.knownUpTo();
        }
    }

    public void outcome(int stripe, ChainOutcome outcome) {
        synchronized (lock) {
            stripes.outcome(stripe, outcome);
            if (writing.isHere()) {
                end.found(outcome.getSize());
                uncommitted.seenAt(outcome.getMtime());
            }
        }
    }

    /** Also where another client may have made it, and has told nobody yet. */
    boolean mayExist(int stripe) {
        synchronized (lock) {
            return existsSomewhere(stripe)
                    || (end.mode() == DataMode.WRITE_SHARED && stripes.isBeingMade(stripe));
        }
    }

    /** Under the lock. */
    private boolean existsSomewhere(int stripe) {
        return writing.isHere() || stripes.exists(stripe);
    }

    /** Before the chain is asked for the size. */
    public long changes() {
        synchronized (lock) {
            return uncommitted.changes();
        }
    }

    /**
     * What is to be committed now; what changes from here on is for the next commit.
     *
     * @param asked null: nobody else writes
     * @return null: others do by now, so the chain has to be asked
     */
    CommitContent.@Nullable Builder takeCommit(long handle, KnownEnd.@Nullable Told asked) {
        synchronized (lock) {
            if (broken != null) throw broken; // the next session knows nothing of it
            KnownEnd.Told known = asked == null ? end.told() : asked;
            if (known == null) return null;
            long mtime = uncommitted.take(known.changes());
            return content(known.size())
                    .setHandle(handle)
                    .setSeen(known.seen())
                    // What is told holds what others wrote later.
                    .setMtime(mtime == 0 ? 0 : Math.max(mtime, known.written()));
        }
    }

    /**
     * True when the chain has just been made to agree on what the last commit told already. Where
     * others write, too, what is there now may be theirs.
     */
    boolean isCommitted() {
        synchronized (lock) {
            return end.isAlone()
                    && uncommitted.isSettled()
                    && content(end.size()).build().equals(lastCommit);
        }
    }

    /** Under the lock. What is to be committed. */
    private CommitContent.Builder content(long size) {
        return stripes.content(size, this::existsSomewhere).setInode(inode);
    }

    void commitFailed(CommitContent commit) {
        synchronized (lock) {
            uncommitted.failed(commit.getMtime());
        }
    }

    public void committed(CommitContent commit, Attributes now) {
        synchronized (lock) {
            if (end.committed(now.getVersion(), now.getSize())) {
                lastCommit = Stripes.contentAlone(commit);
                attributes = now;
                LocalWriting file = writing.file();
                if (file != null) file.told(now.getSize());
            }
        }
    }

    // ---- recalls and the session
    // ------------------------------------------------------------------------------------------------------------

    /** The metaserver lowers what this session may do alone. */
    public void recalled(DataMode most, boolean dropLayout) {
        synchronized (lock) {
            end.lowered(most);
            layoutRecalled |= dropLayout;
        }
    }

    /** The recall is about to be answered: others, who have waited until now, may go on. */
    public void lowered() {
        synchronized (lock) {
            end.modeCounts();
        }
    }

    /** Others have, or had, the file open: the metaserver may know of a node that failed there. */
    boolean wasShared() {
        return end.wasShared();
    }

    /** As the metaserver last said. */
    @Override
    public boolean haveOthersWritten() {
        return othersWrote;
    }

    boolean isBroken() {
        return broken != null;
    }

    public void fail(FarmException failure) {
        broken = failure;
    }

    /** What has broken the file, where something has: what failed since did so for that. */
    FarmException reason(FarmException failure) {
        return Objects.requireNonNullElse(broken, failure);
    }

    public void refreshed(OpenReply reply) {
        synchronized (lock) {
            take(reply, !uncommitted.counts());
        }
        filling.look();
    }

    // ---- members that join
    // -----------------------------------------------------------------------------------------------------------------

    /** Of each stripe whose chain somebody joins, those who lack what was there before. */
    Map<Integer, Set<String>> lacking() {
        synchronized (lock) {
            return hasWriter() ? stripes.lacking() : Map.of();
        }
    }

    /** They have got everything, durably: the next commit names them, and there must be one. */
    void filled(int stripe, Set<String> nodes) {
        synchronized (lock) {
            if (stripes.filled(stripe, nodes)) {
                uncommitted.changed();
            }
        }
    }

    // ---- layout
    // -----------------------------------------------------------------------------------------------------------------------------

    /** The layout with tickets that hold for a while; asks for new ones when they do not. */
    @Override
    public CompletableFuture<Layout> layout() {
        Layout now;
        boolean recalled;
        synchronized (lock) {
            if (broken != null) {
                return CompletableFuture.failedFuture(broken);
            }
            now = stripes.layout();
            recalled = layoutRecalled;
        }
        return refreshing.holding(now, recalled);
    }

    /** Null: another one is to be asked for. */
    @Nullable Layout layoutThatHolds() {
        synchronized (lock) {
            return broken != null || layoutRecalled ? null : stripes.layout();
        }
    }

    Layout layoutNow() {
        return stripes.layout();
    }

    /** New tickets and the present chain, and room up to that size. */
    CompletableFuture<Void> refresh(long wantedSize) {
        return refreshing.refresh(wantedSize);
    }

    /** Of its content. */
    int generationKnown() {
        synchronized (lock) {
            int known = stripes.generation();
            return known < 0 ? generationBefore : known;
        }
    }

    // ---- chains
    // -----------------------------------------------------------------------------------------------------------------------------

    /** This client has changed it, or asked its chain to agree. */
    boolean hasOutcome(int stripe) {
        return stripes.lastOutcome(stripe) != null;
    }

    /** Other nodes answer from now on. */
    void forgetOutcomes() {
        stripes.forgetOutcomes();
    }

    /** An object that was written exists from now on. */
    public void written(int stripe) {
        synchronized (lock) {
            stripes.written(stripe);
        }
    }
}
