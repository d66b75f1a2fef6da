package org.gridfarm.namespace.own;

import com.google.protobuf.ByteString;

import org.gridfarm.namespace.Context;
import org.gridfarm.namespace.Decision;
import org.gridfarm.namespace.Namespace;
import org.gridfarm.protocol.api.ShippedAnswers;
import org.gridfarm.protocol.auth.Squash;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.CreateFile;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.DirectoryDelegation;
import org.gridfarm.protocol.wire.DirentImage;
import org.gridfarm.protocol.wire.DirentKey;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.MakeDirectory;
import org.gridfarm.protocol.wire.MakeLink;
import org.gridfarm.protocol.wire.MutateReply;
import org.gridfarm.protocol.wire.MutateRequest;
import org.gridfarm.protocol.wire.MutateRequestOrBuilder;
import org.gridfarm.protocol.wire.Remove;
import org.gridfarm.protocol.wire.Rename;
import org.gridfarm.protocol.wire.SetAttributes;
import org.gridfarm.protocol.wire.ShippedCommand;
import org.gridfarm.protocol.wire.XattrKey;
import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.stream.Stream;

/**
 * The directories that are delegated to one session, with the files in them, and what it decides
 * there: by the leader's own rules, so that the leader, told of the command with its inode number
 * and its time, comes to the same.
 *
 * <p>A directory that is made in one of them is one of them, too. What names are in them this class
 * always knows; of the files it knows what deciding about names takes, and what it was {@linkplain
 * #seen told} since. Attributes of a file it sets as long as no call is under way by which the
 * leader may {@linkplain #asks change} them.
 *
 * <p>Pure; owned by one thread at a time.
 */
public final class OwnGround {
    /** Of the directories delegated to a session: what the leader permits. */
    private static final int DIRECTORIES_MAX = 1 << 12;

    private static final int NUMBERS_LOW = 2048;
    private static final int NUMBERS_WANTED = 8192;

    private static final int MAY_READ = 4;
    private static final int MAY_RUN = 1;
    private static final int PRIVILEGES = 06000; // of the mode: set-user-id, set-group-id

    /** Names of extended attributes that begin so are set here. */
    private static final List<ByteString> XATTRS =
            Stream.of("user.", "trusted.", "system.posix_acl_")
                    .map(ByteString::copyFromUtf8)
                    .toList();

    private record Numbers(long first, int count) {}

    private final Namespace known = new Namespace();
    private final Set<Long> directories = new LinkedHashSet<>();
    private final Deque<Numbers> numbers = new ArrayDeque<>();
    private final FilesAtLeader atLeader = new FilesAtLeader();
    private long numbersLeft;
    private boolean root;
    private long lastTime;

    // ---- what is delegated

    /**
     * The leader has delegated a directory. One that was there before comes with its entries, and
     * with what is known of them; of one of our own among them more is known here.
     *
     * @return false: it is not taken, since the leader is being asked to change it
     */
    public boolean add(DirectoryDelegation given) {
        if (atLeader.has(given.getDirectory())) return false;
        for (Change change : given.getContentList()) {
            if (isOwn(inodeOf(change))) continue;
            if (change.hasInode()) isAbout(change.getInode());
            known.apply(change);
        }
        directories.add(given.getDirectory());
        given.getOpenList().forEach(atLeader::hides);
        root = given.getRoot();
        addNumbers(given.getFirstNumber(), given.getNumbers());
        return true;
    }

    private void isAbout(InodeImage image) {
        long inode = image.getInode();
        isPast(image.getCtime());
        forgetXattrs(inode);
        boolean file = image.getType() != FileType.DIRECTORY;
        if (file && atLeader.has(inode)) atLeader.hides(inode); // that call began before
    }

    /** Those that are left come behind the inode: a directory in one of ours is known already. */
    private void forgetXattrs(long inode) {
        List<Change> gone = new ArrayList<>();
        known.exportInode(
                inode,
                change -> {
                    if (!change.hasXattr()) return;
                    XattrKey key =
                            XattrKey.newBuilder()
                                    .setInode(inode)
                                    .setName(change.getXattr().getName())
                                    .build();
                    gone.add(Change.newBuilder().setXattrGone(key).build());
                });
        gone.forEach(known::apply);
    }

    /** Of which the change tells; 0: of none. */
    private static long inodeOf(Change change) {
        return switch (change.getChangeCase()) {
            case INODE -> change.getInode().getInode();
            case XATTR -> change.getXattr().getInode();
            default -> 0;
        };
    }

    /** Directories that are worth having for the command, beside those that are ours. */
    public List<Long> wanted(MutateRequest request) {
        return Places.namesChangedIn(request, known).stream()
                .filter(place -> !isOwn(place))
                .toList();
    }

    /** Of a directory of ours. */
    public Attributes attributesOf(long directory) {
        return known.attributes(directory).build();
    }

    /** Of the files in it, but those that the leader may be changing. */
    public List<Attributes> filesOf(long directory) {
        return inodesOf(directory).stream()
                .skip(1)
                .filter(file -> !atLeader.has(file))
                .map(file -> known.attributes(file).build())
                .toList();
    }

    /** It lies in a directory of ours, so nobody else has come by lately. */
    public boolean isInOwn(long directory) {
        return isNamedInOwn(directory);
    }

    /** What is decided from now on is younger than that, whatever the clock here says. */
    private void isPast(long time) {
        lastTime = Math.max(lastTime, time);
    }

    /** Inode numbers for what is made here. */
    public void addNumbers(long first, int count) {
        if (count > 0) {
            numbers.add(new Numbers(first, count));
            numbersLeft += count;
        }
    }

    public long numbersLeft() {
        return numbersLeft;
    }

    /** So many more are to be asked for now. */
    public int numbersWanted() {
        return numbersLeft < NUMBERS_LOW ? NUMBERS_WANTED : 0;
    }

    public boolean isOwn(long directory) {
        return directories.contains(directory);
    }

    /** Whether what is decided here may be more than the leader knows of the inode. */
    public boolean covers(long inode) {
        return !directories.isEmpty() && directories.contains(known.homeOf(inode));
    }

    /** Whether the leader may know more of the file; for tests. */
    boolean isAtLeader(long file) {
        return atLeader.has(file);
    }

    /** What is known, for tests. */
    Namespace known() {
        return known;
    }

    public boolean isEmpty() {
        return directories.isEmpty();
    }

    /** Those that were given first come first. */
    public List<Long> directories() {
        return List.copyOf(directories);
    }

    /** Inodes that are kept. */
    public long size() {
        return known.inodeCount();
    }

    /** The directory itself and the files in it. */
    public List<Long> inodesOf(long directory) {
        Set<Long> inodes = new LinkedHashSet<>();
        inodes.add(directory);
        known.exportEntries(
                directory,
                entry -> {
                    if (entry.getDirent().getType() != FileType.DIRECTORY) {
                        inodes.add(entry.getDirent().getInode());
                    }
                });
        return List.copyOf(inodes);
    }

    /** The leader decides about the directory from now on. */
    public void giveBack(long directory) {
        if (!directories.remove(directory)) return;
        List<Change> names = new ArrayList<>();
        Set<Long> files = new LinkedHashSet<>(); // each may have several names
        known.exportEntries(
                directory,
                entry -> {
                    names.add(goneName(entry.getDirent()));
                    files.add(entry.getDirent().getInode());
                });
        names.forEach(known::apply);
        files.removeAll(directories); // a directory in it may be another of ours
        for (long file : files) {
            known.apply(goneInode(file));
            atLeader.gone(file);
        }
        if (!isNamedInOwn(directory)) known.apply(goneInode(directory));
    }

    private static Change goneName(DirentImage entry) {
        DirentKey key =
                DirentKey.newBuilder()
                        .setParent(entry.getParent())
                        .setName(entry.getName())
                        .build();
        return Change.newBuilder().setDirentGone(key).build();
    }

    /** As long as the name is known, it has to be known that it is taken. */
    private boolean isNamedInOwn(long directory) {
        InodeImage image = known.imageOrNull(directory);
        return image != null && directories.contains(image.getParent());
    }

    private static Change goneInode(long inode) {
        return Change.newBuilder().setInodeGone(inode).build();
    }

    /** A new session knows nothing of them. */
    public void clear() {
        for (long directory : directories()) giveBack(directory);
        numbers.clear();
        numbersLeft = 0;
        atLeader.clear();
    }

    /**
     * The leader is about to be asked for this change; to be told before the call leaves, and
     * before it is looked at whether the leader knows everything.
     *
     * @return the file of ours that it may change, for {@link #answered}; 0: none
     */
    public long asks(MutateRequest request) {
        return switch (request.getOperationCase()) {
            case CREATE -> { // opens the file of that name
                CreateFile q = request.getCreate();
                yield asks(known.peek(q.getParent(), q.getName()));
            }
            case SET_ATTRIBUTES -> asks(request.getSetAttributes().getInode());
            case COMMIT -> asks(request.getCommit().getInode());
            case SET_XATTR -> asksWhatIsNotTold(request.getSetXattr().getInode());
            case REMOVE_XATTR -> asksWhatIsNotTold(request.getRemoveXattr().getInode());
            case SET_POLICY -> asksWhatIsNotTold(request.getSetPolicy().getInode());
            // These change a name: the directory is given back before.
            case UNLINK, RMDIR, RENAME, LINK -> 0;
            case MKDIR, SYMLINK, MKNOD, TEMPORARY, OPERATION_NOT_SET -> 0;
        };
    }

    /** Which value an extended attribute has no answer says. */
    private long asksWhatIsNotTold(long inode) {
        long asked = asks(inode);
        if (asked != 0) atLeader.hides(asked);
        return asked;
    }

    /** The same of a call that may change this inode. */
    public long asks(long inode) {
        if (inode == 0) return 0;
        atLeader.asks(inode); // also of what is not ours yet
        return inode;
    }

    /**
     * @param inode from {@link #asks}
     * @param now how the file stands after the change; null: that is not known
     */
    public void answered(long inode, @Nullable Attributes now) {
        if (now != null) seen(now);
        if (inode == 0) return;
        atLeader.answered(inode, now != null && now.getInode() == inode && tellsAll(now));
        if (!covers(inode)) atLeader.gone(inode);
    }

    /**
     * What was about to be asked is not, or has been answered to another call.
     *
     * @param inode from {@link #asks}
     */
    public void over(long inode) {
        if (inode == 0) return;
        atLeader.over(inode);
        if (!covers(inode)) atLeader.gone(inode);
    }

    /**
     * Whether the command does not depend on content that is still on its way to the leader, nor
     * would anything be amiss if the host lost it. A name that replaces another must not be seen
     * before the content is.
     */
    public boolean isEarly(MutateRequestOrBuilder request) {
        return switch (request.getOperationCase()) {
            case SET_ATTRIBUTES, SET_XATTR, REMOVE_XATTR, LINK -> true;
            case UNLINK -> {
                Remove q = request.getUnlink();
                yield hasOtherNames(known.peek(q.getParent(), q.getName()));
            }
            case RENAME ->
                    isFree(request.getRename().getToParent(), request.getRename().getToName());
            default -> false;
        };
    }

    /** It has no extended attribute that is not known here, and no ACL: a mode changes that. */
    private boolean tellsAll(Attributes now) {
        if (!known.exists(now.getInode())) return false;
        Attributes here = known.attributes(now.getInode()).build();
        return now.getHasXattr() == here.getHasXattr()
                && !now.getHasAcl()
                && !here.getHasAcl()
                && !now.getHasCapability();
    }

    /**
     * A file that he may read, as the leader would find, too; its attributes. Null: the leader is
     * to be asked.
     *
     * @param runs he is to run it, too
     */
    public @Nullable Attributes readable(long inode, boolean runs, Credentials who) {
        if (!covers(inode) || atLeader.has(inode)) return null;
        InodeImage image = known.imageOrNull(inode);
        if (image == null || image.getType() != FileType.REGULAR) return null;
        int rights = MAY_READ | (runs ? MAY_RUN : 0);
        return known.may(inode, rights, root ? who : Squash.of(who))
                ? known.attributes(inode).build()
                : null;
    }

    /** The file that may lose its last name or its content by the command; 0: none. */
    public long loses(MutateRequest request) {
        return switch (request.getOperationCase()) {
            case UNLINK -> {
                Remove q = request.getUnlink();
                yield onlyNameOf(known.peek(q.getParent(), q.getName()));
            }
            case RENAME -> {
                Rename q = request.getRename();
                yield onlyNameOf(known.peek(q.getToParent(), q.getToName()));
            }
            case CREATE -> {
                CreateFile q = request.getCreate();
                yield q.getOpen().getTruncate() ? known.peek(q.getParent(), q.getName()) : 0;
            }
            case SET_ATTRIBUTES ->
                    request.getSetAttributes().hasSize()
                            ? request.getSetAttributes().getInode()
                            : 0;
            default -> 0;
        };
    }

    private long onlyNameOf(long inode) {
        return hasOtherNames(inode) ? 0 : inode;
    }

    /** The leader has answered so: of a file that may be newer than what is known here. */
    public void seen(Attributes told) {
        InodeImage image = known.imageOrNull(told.getInode());
        if (image == null
                || image.getType() == FileType.DIRECTORY
                || told.getVersion() <= image.getVersion()
                || !covers(told.getInode())) {
            return;
        }
        InodeImage.Builder newer =
                image.toBuilder()
                        .setMode(told.getMode())
                        .setUid(told.getUid())
                        .setGid(told.getGid())
                        .setNlink(told.getNlink())
                        .setSize(told.getSize())
                        .setAtime(told.getAtime())
                        .setMtime(told.getMtime())
                        .setCtime(told.getCtime())
                        .setGeneration(told.getGeneration())
                        .setVersion(told.getVersion());
        if (told.hasAllocated()) newer.setAllocated(told.getAllocated());
        else newer.clearAllocated();
        isPast(told.getCtime());
        known.apply(Change.newBuilder().setInode(newer).build());
    }

    // ---- deciding

    /**
     * @param who as the mount asserts it
     * @param now nanoseconds since 1970, by the clock of this host
     * @param isOpen whether this session has the file open
     */
    public Verdict decide(MutateRequest request, Credentials who, long now, LongPredicate isOpen) {
        boolean makes = makes(request);
        Credentials asserted = root ? who : Squash.of(who);
        if (!isDecidedHere(request, asserted) || (makes && numbersLeft == 0)) {
            return new Verdict.Leaders();
        }
        long time = Math.max(lastTime, now);
        Once context = new Once(time, makes ? numbers.element().first : 0, isOpen);
        MutateRequest shipped = asShipped(request);
        return switch (known.decide(shipped, asserted, context)) {
            case Decision.Refused refused -> new Verdict.Refused(refused.failure());
            case Decision.Accepted accepted ->
                    isStriped(accepted)
                            ? new Verdict.Leaders() // who says which nodes its stripes go to
                            : done(shipped, accepted, context);
        };
    }

    private Verdict.Done done(MutateRequest request, Decision.Accepted accepted, Once context) {
        Attributes.Builder going = accepted.going(known);
        accepted.changes().forEach(known::apply);
        lastTime = context.time;
        if (context.taken) takeNumber();
        if (request.getMkdir().getDelegate()) directories.add(accepted.inode());
        MutateReply.Builder reply = accepted.reply(known, going);
        // What the leader makes of it meanwhile, and has made of it, is to be asked.
        if (atLeader.has(reply.getAttributes().getInode())) {
            reply.getAttributesBuilder().setWriting(true);
        }
        for (Change change : accepted.changes()) {
            if (change.hasInode()) atLeader.changedHere(change.getInode().getInode());
            if (change.hasInodeGone()) {
                directories.remove(change.getInodeGone());
                atLeader.gone(change.getInodeGone());
            }
            // Open and without a name: nothing is decided about it any more.
            if (change.hasOrphan()) known.apply(goneInode(change.getOrphan()));
        }
        return new Verdict.Done(
                ShippedCommand.newBuilder()
                        .setRequest(request)
                        .setInode(context.taken ? context.number : 0)
                        .setTime(context.time)
                        .setDigest(ShippedAnswers.digest(request, reply.build()))
                        .build(),
                reply.build());
    }

    private static boolean isStriped(Decision.Accepted accepted) {
        return accepted.created()
                && accepted.changes().stream()
                        .anyMatch(change ->
                                change.getInode().getType() == FileType.REGULAR
                                        && change.getInode().getStripeCount() > 1);
    }

    private void takeNumber() {
        Numbers first = numbers.remove();
        if (first.count > 1) numbers.addFirst(new Numbers(first.first + 1, first.count - 1));
        numbersLeft--;
    }

    /**
     * A directory is to be one of ours, too. What is new need not be emptied: at the leader that
     * would date it anew, when it is told. Who may set attributes by himself needs no handle for
     * it, which may be closed by then.
     */
    private MutateRequest asShipped(MutateRequest request) {
        if (request.hasMkdir()) {
            MakeDirectory.Builder mkdir = request.getMkdir().toBuilder().clearNumbers();
            mkdir.setDelegate(directories.size() < DIRECTORIES_MAX);
            return request.toBuilder().setMkdir(mkdir).build();
        }
        if (request.getSetAttributes().getHandle() != 0) {
            MutateRequest.Builder shipped = request.toBuilder();
            shipped.getSetAttributesBuilder().clearHandle();
            return shipped.build();
        }
        if (!request.getCreate().getOpen().getTruncate()) return request;
        MutateRequest.Builder shipped = request.toBuilder();
        shipped.getCreateBuilder().getOpenBuilder().clearTruncate();
        return shipped.build();
    }

    private static boolean makes(MutateRequest request) {
        return switch (request.getOperationCase()) {
            case CREATE, MKDIR, SYMLINK, MKNOD -> true;
            default -> false;
        };
    }

    private boolean isDecidedHere(MutateRequest request, Credentials who) {
        return switch (request.getOperationCase()) {
            case CREATE -> {
                CreateFile q = request.getCreate();
                // The leader opens what is there.
                yield isOwn(q.getParent())
                        && (q.getExclusive() || isFree(q.getParent(), q.getName()));
            }
            case MKDIR -> isOwn(request.getMkdir().getParent());
            case SYMLINK -> isOwn(request.getSymlink().getParent());
            case MKNOD -> isOwn(request.getMknod().getParent());
            case UNLINK -> isOwn(request.getUnlink().getParent());
            case RMDIR -> {
                Remove q = request.getRmdir();
                yield isOwn(q.getParent()) && isKnown(q.getParent(), q.getName());
            }
            case RENAME -> isDecidedHere(request.getRename());
            case SET_ATTRIBUTES -> isDecidedHere(request.getSetAttributes(), who);
            case SET_XATTR ->
                    isDecidedHere(
                            request.getSetXattr().getInode(), request.getSetXattr().getName());
            case REMOVE_XATTR ->
                    isDecidedHere(
                            request.getRemoveXattr().getInode(),
                            request.getRemoveXattr().getName());
            case LINK -> isDecidedHere(request.getLink());
            case SET_POLICY, TEMPORARY, COMMIT, OPERATION_NOT_SET -> false;
        };
    }

    /** All names of a file of ours are in one directory, so that they are given back together. */
    private boolean isDecidedHere(MakeLink link) {
        return isOwn(link.getParent())
                && !known.isDirectory(link.getInode())
                && known.homeOf(link.getInode()) == link.getParent();
    }

    private boolean hasOtherNames(long inode) {
        InodeImage image = known.imageOrNull(inode);
        return image != null && image.getType() != FileType.DIRECTORY && image.getNlink() > 1;
    }

    private boolean isFree(long directory, ByteString name) {
        return known.peek(directory, name) == 0;
    }

    /** A file, one of our directories, or nothing: all that is to be known of it is known. */
    private boolean isKnown(long directory, ByteString name) {
        long there = known.peek(directory, name);
        return there == 0 || isOwn(there) || !known.isDirectory(there);
    }

    /**
     * Not where a directory comes to lie in another one: whether that would lie in itself, the
     * directories between them tell, and they may not all be known. Nor where the names of a file
     * would come to lie in several.
     */
    private boolean isDecidedHere(Rename rename) {
        long source = known.peek(rename.getParent(), rename.getName());
        boolean stays = known.isDirectory(source) || hasOtherNames(source);
        return isOwn(rename.getParent())
                && isOwn(rename.getToParent())
                && !rename.getExchange()
                && !rename.getWhiteout()
                && isKnown(rename.getParent(), rename.getName())
                && isKnown(rename.getToParent(), rename.getToName())
                && (!stays || rename.getParent() == rename.getToParent());
    }

    /**
     * Not what goes with content: its size, and privileges, which end when somebody writes (a chown
     * takes them, too, and there are none). By a handle also others than the owner may set times.
     */
    private boolean isDecidedHere(SetAttributes set, Credentials who) {
        long inode = set.getInode();
        if (set.hasSize()) return false;
        if (isOwn(inode)) return set.getHandle() == 0;
        InodeImage file = knownFile(inode);
        return file != null
                && (set.getMode() & PRIVILEGES) == 0
                && (set.hasUid() || set.hasGid() || !takesPrivileges(set))
                && (set.getHandle() == 0 || who.getUid() == 0 || who.getUid() == file.getUid());
    }

    /** Null: the leader may know more of it, or it has privileges. */
    private @Nullable InodeImage knownFile(long inode) {
        InodeImage image = covers(inode) && !atLeader.has(inode) ? known.imageOrNull(inode) : null;
        return image != null && (image.getMode() & PRIVILEGES) == 0 ? image : null;
    }

    /** Neither policies, which say where content goes, nor what security is made of. */
    private boolean isDecidedHere(long inode, ByteString name) {
        return XATTRS.stream().anyMatch(name::startsWith)
                && (isOwn(inode) || knownFile(inode) != null);
    }

    private static boolean takesPrivileges(SetAttributes set) {
        return set.getClearSuidSgid() || set.getClearCapability();
    }

    /** What one decision is told. */
    private static final class Once implements Context {
        final long time;
        final long number;
        private final LongPredicate isOpen;
        boolean taken;

        Once(long time, long number, LongPredicate isOpen) {
            this.time = time;
            this.number = number;
            this.isOpen = isOpen;
        }

        @Override
        public long now() {
            return time;
        }

        @Override
        public long nextInode() {
            taken = true;
            return number;
        }

        @Override
        public boolean isOpen(long inode) {
            return isOpen.test(inode);
        }

        @Override
        public boolean mayWrite(long session, long handle, long inode) {
            return false;
        }

        @Override
        public boolean isWriting(long session, long inode) {
            return false;
        }
    }
}
