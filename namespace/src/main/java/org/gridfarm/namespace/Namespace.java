package org.gridfarm.namespace;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.attributes.Relatime;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.DirentImage;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.MutateRequest;
import org.gridfarm.protocol.wire.ReadDirectoryReply;
import org.gridfarm.protocol.wire.SettingImage;
import org.jspecify.annotations.Nullable;

import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * All inodes and all names. Owned by one event thread, reads included.
 *
 * <p>{@link #decide} reads and answers what would change; {@link #apply} is the only thing that
 * changes. Images are absolute: applied twice, or over a newer state and then forward again, they
 * end in the same state. Other rooms' rows (replicas, nodes, quotas, sessions) are passed over.
 *
 * <p>Reads throw FarmException: NOT_FOUND for a directory that is gone, STALE for any other inode
 * that is gone, NOT_A_DIRECTORY, ACCESS_DENIED.
 */
public final class Namespace {
    /**
     * More could only be a circle, which a damaged store would bring: a path has no room for it.
     */
    private static final int DEPTH_MAX = Limits.PATH_BYTES_MAX;

    public static final long ROOT = 1;

    /**
     * The setting that holds the replica level of whatever has none of its own, as decimal text.
     */
    public static final String SETTING_REPLICAS = "replicas";

    /** In the root: where a check gives names to what has lost them. */
    public static final String LOST_AND_FOUND = "lost+found";

    private static final int REPLICAS_UNSET = 1;

    private final InodeTable inodes = new InodeTable();
    private final Map<Policy, WeakReference<Policy>> policies = new WeakHashMap<>();
    private final Map<Long, Inode> orphans = new HashMap<>();
    private final NamespaceReads reads = new NamespaceReads(this);
    private int defaultReplicas = REPLICAS_UNSET;
    private long existing;

    /** What a new file system begins with: its root, owned by user 0, mode 0755. */
    public static List<Change> genesis(long now) {
        InodeImage root =
                InodeImage.newBuilder()
                        .setInode(ROOT)
                        .setType(FileType.DIRECTORY)
                        .setMode(0755)
                        .setNlink(2)
                        .setAtime(now)
                        .setMtime(now)
                        .setCtime(now)
                        .setBtime(now)
                        .setParent(ROOT)
                        .setGeneration(1)
                        .setVersion(1)
                        .build();
        return List.of(Change.newBuilder().setInode(root).build());
    }

    // ---- deciding
    // ------------------------------------------------------------------------------------------------------------------------

    /**
     * What the command of this user would do now. Pure: changes nothing but what it asks of the
     * context.
     */
    public Decision decide(MutateRequest request, Credentials who, Context context) {
        String operation = operation(request);
        Command command = new Command(this, request.getSession(), who, context, operation);
        try {
            return switch (request.getOperationCase()) {
                case CREATE -> Births.create(command, request.getCreate());
                case MKDIR -> Births.makeDirectory(command, request.getMkdir());
                case SYMLINK -> Births.makeSymlink(command, request.getSymlink());
                case MKNOD -> Births.makeNode(command, request.getMknod());
                case TEMPORARY -> Births.makeTemporary(command, request.getTemporary());
                case LINK -> Births.link(command, request.getLink());
                case UNLINK -> Removals.unlink(command, request.getUnlink());
                case RMDIR -> Removals.removeDirectory(command, request.getRmdir());
                case RENAME -> Renames.rename(command, request.getRename());
                case SET_ATTRIBUTES -> AttributeChanges.set(command, request.getSetAttributes());
                case SET_XATTR -> XattrChanges.set(command, request.getSetXattr());
                case REMOVE_XATTR -> XattrChanges.remove(command, request.getRemoveXattr());
                case SET_POLICY -> PolicyChanges.set(command, request.getSetPolicy());
                case COMMIT -> ContentCommits.commit(command, request.getCommit());
                case OPERATION_NOT_SET ->
                        throw new FarmException(ErrorKind.PROTOCOL, operation, "", "no operation");
            };
        } catch (FarmException refused) {
            return new Decision.Refused(refused);
        }
    }

    /**
     * What goes when this user changes the content of the file: set-user and set-group bits, and
     * capabilities. Empty where there are none.
     */
    public List<Change> privilegesOf(long number, Credentials who, long now) {
        Draft taken = Privileges.whenWritten(require(number, "open"), who, now);
        return taken == null ? List.of() : taken.changes();
    }

    /**
     * The inode to which this command gives set-user or set-group bits or capabilities; 0: to none.
     */
    public static long privileged(MutateRequest request) {
        return switch (request.getOperationCase()) {
            case SET_ATTRIBUTES ->
                    Privileges.areGivenBy(request.getSetAttributes())
                            ? request.getSetAttributes().getInode()
                            : 0;
            case SET_XATTR ->
                    Privileges.areGivenBy(request.getSetXattr())
                            ? request.getSetXattr().getInode()
                            : 0;
            default -> 0;
        };
    }

    /** The inodes that the request names by number, but those of an open file. */
    public static long[] named(MutateRequest request) {
        return switch (request.getOperationCase()) {
            case CREATE -> new long[] {request.getCreate().getParent()};
            case MKDIR -> new long[] {request.getMkdir().getParent()};
            case SYMLINK -> new long[] {request.getSymlink().getParent()};
            case MKNOD -> new long[] {request.getMknod().getParent()};
            case TEMPORARY -> new long[] {request.getTemporary().getDirectory()};
            case LINK -> new long[] {request.getLink().getParent(), request.getLink().getInode()};
            case UNLINK -> new long[] {request.getUnlink().getParent()};
            case RMDIR -> new long[] {request.getRmdir().getParent()};
            case RENAME ->
                    new long[] {request.getRename().getParent(), request.getRename().getToParent()};
            case SET_ATTRIBUTES -> new long[] {request.getSetAttributes().getInode()};
            case SET_XATTR -> new long[] {request.getSetXattr().getInode()};
            case REMOVE_XATTR -> new long[] {request.getRemoveXattr().getInode()};
            case SET_POLICY -> new long[] {request.getSetPolicy().getInode()};
            case COMMIT, OPERATION_NOT_SET -> new long[0];
        };
    }

    /** The name of the operation for messages: "mkdir", "set attributes". */
    public static String operation(MutateRequest request) {
        return switch (request.getOperationCase()) {
            case CREATE -> "create";
            case MKDIR -> "mkdir";
            case SYMLINK -> "symlink";
            case MKNOD -> "mknod";
            case TEMPORARY -> "create temporary";
            case LINK -> "link";
            case UNLINK -> "unlink";
            case RMDIR -> "rmdir";
            case RENAME -> "rename";
            case SET_ATTRIBUTES -> "set attributes";
            case SET_XATTR -> "set xattr";
            case REMOVE_XATTR -> "remove xattr";
            case SET_POLICY -> "set policy";
            case COMMIT -> "commit content";
            case OPERATION_NOT_SET -> "mutate";
        };
    }

    /**
     * The access time after somebody read the inode then, by the rule of relatime: only if it is
     * not newer than the last change, or a day old. Null: it stays as it is, as where somebody has
     * set it since the reader knew it.
     *
     * @param before the access time that the reader knew
     */
    public @Nullable Change accessed(long number, long before, long then) {
        Inode inode = find(number);
        if (inode == null || inode.atime != before || then <= inode.atime) {
            return null;
        }
        boolean stale = Relatime.moves(inode.atime, inode.mtime, inode.ctime, then);
        return stale
                ? Change.newBuilder()
                        .setInode(inode.image().setAtime(then).setVersion(inode.version + 1))
                        .build()
                : null;
    }

    // ---- applying
    // ------------------------------------------------------------------------------------------------------------------------

    /** Takes one row. */
    public void apply(Change change) {
        switch (change.getChangeCase()) {
            case INODE -> take(change.getInode());
            case INODE_GONE -> vanish(change.getInodeGone());
            case DIRENT -> enter(change.getDirent());
            case DIRENT_GONE -> {
                Inode directory = inodes.get(change.getDirentGone().getParent());
                if (directory != null && directory.extra() instanceof Entries entries) {
                    Inode meant = entries.remove(change.getDirentGone().getName().toByteArray());
                    if (meant != null) {
                        meant.nameGone(directory.number);
                    }
                }
            }
            case XATTR ->
                    setXattr(
                            refer(change.getXattr().getInode()),
                            change.getXattr().getName(),
                            change.getXattr().getValue().toByteArray());
            case XATTR_GONE -> {
                Inode inode = inodes.get(change.getXattrGone().getInode());
                if (inode != null && inode.extra() != null) {
                    setXattr(inode, change.getXattrGone().getName(), null);
                }
            }
            case ORPHAN -> {
                Inode inode = refer(change.getOrphan());
                inode.setOrphan(true);
                orphans.put(inode.number, inode);
            }
            case ORPHAN_GONE -> {
                Inode inode = orphans.remove(change.getOrphanGone());
                if (inode != null) {
                    inode.setOrphan(false);
                }
            }
            case SETTING -> set(change.getSetting());
            default -> {} // rows of other rooms
        }
    }

    private void take(InodeImage image) {
        Inode inode = refer(image.getInode());
        if (!inode.exists()) {
            existing++;
        }
        inode.take(image, this::shared);
    }

    /** Inodes of one policy have it together, and when the last has another it goes. */
    private Policy shared(Policy policy) {
        WeakReference<Policy> known = policies.get(policy);
        Policy kept = known == null ? null : known.get();
        if (kept == null) {
            policies.put(policy, new WeakReference<>(policy));
            return policy;
        }
        return kept;
    }

    private void vanish(long number) {
        Inode inode = inodes.get(number);
        if (inode == null) {
            return;
        }
        if (inode.exists()) {
            existing--;
        }
        inode.vanish();
        inodes.remove(number);
        orphans.remove(number);
    }

    private void enter(DirentImage image) {
        Inode inode = refer(image.getInode());
        Inode former =
                refer(image.getParent())
                        .entries()
                        .put(image.getName().toByteArray(), inode, image.getCookie());
        if (former == inode) {
            return;
        }
        if (former != null) {
            former.nameGone(image.getParent());
        }
        inode.nameCame(image.getParent());
    }

    private void set(SettingImage setting) {
        if (setting.getKey().equals(SETTING_REPLICAS)) {
            String text = setting.getValue().toString(StandardCharsets.UTF_8);
            defaultReplicas = text.isEmpty() ? REPLICAS_UNSET : Integer.parseInt(text);
        }
    }

    private static void setXattr(Inode inode, ByteString name, byte @Nullable [] value) {
        Extra extra = inode.ensureExtra();
        if (name.equals(NamespaceReads.ACCESS_ACL)) {
            extra.acl = value == null ? null : Acl.parse(value);
        } else if (name.equals(NamespaceReads.DEFAULT_ACL)) {
            extra.defaultAcl = value == null ? null : Acl.parse(value);
        } else if (value == null) {
            extra.removeXattr(name.toByteArray());
        } else {
            extra.putXattr(name.toByteArray(), value);
        }
    }

    /** The inode, or a placeholder for one whose image is still to come. */
    private Inode refer(long number) {
        Inode inode = inodes.get(number);
        if (inode == null) {
            inode = new Inode(number);
            inodes.add(inode);
        }
        return inode;
    }

    // ---- reading
    // -------------------------------------------------------------------------------------------------------------------------

    public boolean isEmpty() {
        return existing == 0;
    }

    /** Inodes that exist, orphans included. */
    public long inodeCount() {
        return existing;
    }

    public boolean exists(long number) {
        return find(number) != null;
    }

    public boolean isDirectory(long number) {
        Inode inode = find(number);
        return inode != null && inode.isDirectory();
    }

    /**
     * A directory itself; of anything else the directory that it lies in, of several names one that
     * was given last; 0: there is none, or which one is not known.
     */
    public long homeOf(long number) {
        Inode inode = find(number);
        if (inode == null) {
            return 0;
        }
        if (inode.isDirectory()) {
            return number;
        }
        return inode.nlink >= 1 ? inode.parent : 0;
    }

    public boolean isOrphan(long number) {
        Inode inode = find(number);
        return inode != null && inode.isOrphan();
    }

    /** Inodes without a name that something may have open. */
    public long[] orphans() {
        return orphans.keySet().stream().mapToLong(Long::longValue).sorted().toArray();
    }

    /** The replica level of what has no own. */
    public int defaultReplicas() {
        return defaultReplicas;
    }

    /** The row of the inode, to make another from. Refuses with STALE. */
    public InodeImage image(long number) {
        return require(number, "stat").image().build();
    }

    /** As {@link #image}, null if there is none. */
    public @Nullable InodeImage imageOrNull(long number) {
        Inode inode = find(number);
        return inode == null ? null : inode.image().build();
    }

    /** What the inode takes; null if it is gone. */
    public @Nullable Charge charge(long number) {
        Inode inode = find(number);
        if (inode == null) {
            return null;
        }
        long bytes = inode.isRegular() ? inode.size : 0;
        int level = inode.policy().replicas() == 0 ? defaultReplicas : inode.policy().replicas();
        return new Charge(
                inode.uid,
                inode.gid,
                bytes,
                bytes * level,
                inode.xattrBytes(),
                inode.parent,
                inode.isDirectory());
    }

    /** By how many bytes the inode's attributes grow when this one is set; null: it is removed. */
    public long xattrGrowth(long number, ByteString name, @Nullable ByteString value) {
        Inode inode = inodes.get(number);
        Extra extra = inode == null ? null : inode.extra();
        boolean counts =
                !name.equals(NamespaceReads.ACCESS_ACL) && !name.equals(NamespaceReads.DEFAULT_ACL);
        if (!counts) {
            return 0;
        }
        byte[] former = extra == null ? null : extra.xattr(name.toByteArray());
        long before = former == null ? 0 : name.size() + former.length;
        return (value == null ? 0 : name.size() + value.size()) - before;
    }

    /** As {@link #charge}, of an inode as an image says it will be. */
    public Charge charge(InodeImage image) {
        long bytes = image.getType() == FileType.REGULAR ? image.getSize() : 0;
        int level = image.getReplicas() == 0 ? defaultReplicas : image.getReplicas();
        Inode inode = inodes.get(image.getInode());
        return new Charge(
                image.getUid(),
                image.getGid(),
                bytes,
                bytes * level,
                inode == null ? 0 : inode.xattrBytes(),
                image.getParent(),
                image.getType() == FileType.DIRECTORY);
    }

    /** Every inode that exists. */
    public void forEach(LongConsumer action) {
        forEachInode(inode -> action.accept(inode.number));
    }

    /** What a regular file's copies should be; null for anything else and for what is gone. */
    public @Nullable Content content(long number) {
        Inode inode = find(number);
        if (inode == null || !inode.isRegular()) {
            return null;
        }
        Policy policy = inode.policy();
        return new Content(
                number,
                inode.generation,
                inode.size,
                inode.data(),
                policy.replicas() == 0 ? defaultReplicas : policy.replicas(),
                Math.max(1, policy.stripeCount()),
                policy.groups());
    }

    /** Without {@code writing}, which only who keeps the open files knows. Refuses with STALE. */
    public Attributes.Builder attributes(long number) {
        return require(number, "stat").attributes(defaultReplicas);
    }

    /**
     * Attributes of what the name means; null if there is no such name. "." and ".." are
     * understood.
     */
    public Attributes.@Nullable Builder lookup(long parent, ByteString name, Credentials who) {
        return reads.lookup(parent, name, who);
    }

    public boolean isEmptyDirectory(long inode) {
        return reads.isEmptyDirectory(inode);
    }

    /** Inode of what the name means, 0 if there is none; no rights are asked. */
    public long peek(long parent, ByteString name) {
        return reads.peek(parent, name);
    }

    /**
     * Walks a path; see {@link Resolved}. The visitor is told of every name and inode that the
     * answer depends on.
     */
    public Resolved resolve(
            long start, ByteString path, boolean followLast, Credentials who, Visited visited) {
        return new Walk(this, who, visited).walk(start, path, followLast);
    }

    /**
     * A page of a directory, in the order of cookies, from the first cookie greater than the given
     * one. Needs the right to read, for attributes also to search (else they are left out).
     */
    public ReadDirectoryReply.Builder list(
            long directory, long cookie, int limit, boolean withAttributes, Credentials who) {
        return reads.list(directory, cookie, limit, withAttributes, who);
    }

    /** Refuses with INVALID what is no symbolic link. */
    public ByteString readLink(long number) {
        return reads.readLink(number);
    }

    /** Refuses with NO_ATTRIBUTE, ACCESS_DENIED, UNSUPPORTED. */
    public ByteString getXattr(long number, ByteString name, Credentials who) {
        return reads.getXattr(number, name, who);
    }

    public List<ByteString> listXattr(long number, Credentials who) {
        return reads.listXattr(number, who);
    }

    /** Whether all of {@code wanted} is allowed: 4 read, 2 write, 1 execute or search. */
    public boolean may(long number, int wanted, Credentials who) {
        return Access.may(require(number, "access"), who, wanted);
    }

    /**
     * Whether the user could have walked to the inode, as far as its names are known: see {@link
     * Ways}. Nobody walks to what has no name.
     *
     * @param foundIn a directory that was seen to have a name of it; 0: none
     * @param visited told of the directories that the answer depends on
     */
    public boolean isReachable(long number, Credentials who, long foundIn, LongConsumer visited) {
        Inode inode = require(number, "access");
        return Access.isSuperuser(who) || new Ways(this, who, visited).leadTo(inode, foundIn);
    }

    /** Whether it is that one or lies below it, by any of its names that are known. */
    public boolean isBelow(long number, long above) {
        Inode inode = find(number);
        if (inode == null) return false;
        if (number == above || hangsBelow(inode.parent, above)) return true;
        return !inode.isDirectory() && inode.anyHome(home -> hangsBelow(home, above));
    }

    private boolean hangsBelow(long directory, long above) {
        long at = directory;
        for (int depth = 0; at != 0 && depth < DEPTH_MAX; depth++) {
            if (at == above) return true;
            Inode inode = find(at);
            if (inode == null || at == ROOT) return false;
            at = inode.parent;
        }
        return false;
    }

    /** Whether it has names and none of them is known. */
    public boolean isLostFromSight(long number) {
        Inode inode = find(number);
        return inode != null && !inode.isDirectory() && inode.parent == 0 && !inode.isOrphan();
    }

    /**
     * Whether the user may give the file another name, where that is left to owners and to who may
     * read and write it: as fs.protected_hardlinks of Linux.
     */
    public boolean mayLink(long number, Credentials who) {
        Inode inode = require(number, "link");
        if (Access.owns(inode, who)) {
            return true;
        }
        int mode = inode.mode();
        boolean runsAsGroup = (mode & Access.SGID) != 0 && (mode & 010) != 0;
        return inode.isRegular()
                && (mode & Access.SUID) == 0
                && !runsAsGroup
                && Access.may(inode, who, Access.READ | Access.WRITE);
    }

    /**
     * ".."; the root's is the root. For files the directory of one of their names as far as known,
     * else 0.
     */
    public long parent(long number) {
        return require(number, "stat").parent;
    }

    /** A path of the inode, for people; of an inode without a known name its number. */
    public String path(long number) {
        return reads.path(number);
    }

    // ---- copying
    // -------------------------------------------------------------------------------------------------------------------------

    /**
     * The numbers of all inodes, for a copy that is made in steps while changes go on: first {@link
     * #exportInode} of each, then {@link #exportEntries} of each; what changed meanwhile is applied
     * after it.
     */
    public long[] inodeNumbers() {
        long[] numbers = new long[Math.toIntExact(existing)];
        int[] n = {0};
        inodes.forEach(inode -> {
            if (inode.exists()) {
                numbers[n[0]++] = inode.number;
            }
        });
        return numbers;
    }

    /**
     * The rows of one inode but its entries: image, orphan mark, extended attributes. Nothing if it
     * is gone.
     */
    public void exportInode(long number, Consumer<Change> sink) {
        reads.exportInode(number, sink);
    }

    /** The entries of a directory; nothing for other inodes. */
    public void exportEntries(long number, Consumer<Change> sink) {
        reads.exportEntries(number, sink);
    }

    /**
     * Entries of a directory in the order of cookies, from the first cookie greater than the given
     * one, about so many.
     *
     * @return the last cookie, to go on after; 0: there are no more
     */
    public long exportEntries(long number, long cookie, int limit, Consumer<Change> sink) {
        return reads.exportEntries(number, cookie, limit, sink);
    }

    /** A number that is equal for equal namespaces; takes a walk over everything. */
    public long digest() {
        return new Digest().of(this);
    }

    /**
     * What is wrong with the namespace itself, a sentence each, at most {@code limit}; takes a walk
     * over everything.
     */
    public List<String> inconsistencies(int limit) {
        return findings(limit).stream().map(Finding::what).toList();
    }

    /** As {@link #inconsistencies}, with what would mend each. */
    public List<Finding> findings(int limit) {
        return new Check(this, limit).run();
    }

    // ---- for the room
    // --------------------------------------------------------------------------------------------------------------------

    void forEachInode(Consumer<Inode> action) {
        inodes.forEach(inode -> {
            if (inode.exists()) {
                action.accept(inode);
            }
        });
    }

    @Nullable Inode find(long number) {
        Inode inode = inodes.get(number);
        return inode != null && inode.exists() ? inode : null;
    }

    Inode require(long number, String operation) {
        Inode inode = find(number);
        if (inode == null) {
            throw new FarmException(ErrorKind.STALE, operation, Names.text(number));
        }
        return inode;
    }

    Inode requireDirectory(long number, String operation) {
        Inode inode = find(number);
        if (inode == null) {
            throw new FarmException(ErrorKind.NOT_FOUND, operation, Names.text(number));
        }
        if (!inode.isDirectory()) {
            throw new FarmException(ErrorKind.NOT_A_DIRECTORY, operation, Names.text(number));
        }
        return inode;
    }

    /** What the name means in the directory, "." and ".." included; null if nothing. */
    @Nullable Inode entryOf(Inode directory, byte[] name) {
        if (Names.isDot(name)) {
            return directory;
        }
        if (Names.isDotDot(name)) {
            return find(directory.parent);
        }
        Entry entry = directory.entries().get(name);
        return entry == null || !entry.inode.exists() ? null : entry.inode;
    }

    /** Whether the directory is the other one or lies below it. */
    boolean isWithin(Inode directory, Inode above) {
        Inode at = directory;
        for (long steps = 0; at != above; steps++) {
            Inode parent = at.number == ROOT ? null : find(at.parent);
            if (parent == null
                    || steps > existing) { // more steps than inodes: a circle, which only a damaged
                // store could bring
                return false;
            }
            at = parent;
        }
        return true;
    }
}
