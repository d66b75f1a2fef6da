package org.gridfarm.namespace;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;

import org.gridfarm.protocol.attributes.Space;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.protocol.wire.InodeImage;
import org.jspecify.annotations.Nullable;

import java.util.function.LongPredicate;
import java.util.function.UnaryOperator;

/**
 * One inode: 96 bytes with compact object headers; what few inodes have is in {@link Extra}.
 * Written to only by {@link Namespace#apply}.
 *
 * <p>An inode without a type is a placeholder: a name that refers to it was loaded before it, or it
 * is gone while a name is about to go.
 */
final class Inode {
    private static final int MODE = 07777;
    private static final int TYPE_SHIFT = 12;
    private static final int TYPE = 7 << TYPE_SHIFT;
    private static final int ALLOCATED_EXTRA = 1 << 15; // otherwise the size tells
    private static final int DIGEST_LINE = 1 << 17; // 4 bytes, in digest
    private static final int DIGEST_EXTRA = 1 << 18;
    private static final int ORPHAN = 1 << 19;
    private static final FileType[] TYPES = FileType.values();

    final long number;
    long size;
    long atime;
    long mtime;
    long ctime;
    long btime;

    /**
     * Directories: "..". Others: the directory of one of their names; 0 when that name was removed
     * and those of the others are not known.
     */
    long parent;

    long version;
    int generation;
    int nlink;
    int uid;
    int gid;
    private int bits;
    private int digest;
    private Policy policy = Policy.NONE;
    private @Nullable Extra extra;

    Inode(long number) {
        this.number = number;
    }

    FileType type() {
        return TYPES[(bits & TYPE) >> TYPE_SHIFT];
    }

    boolean exists() {
        return (bits & TYPE) != 0;
    }

    boolean isDirectory() {
        return type() == FileType.DIRECTORY;
    }

    boolean isRegular() {
        return type() == FileType.REGULAR;
    }

    int mode() {
        return bits & MODE;
    }

    boolean isOrphan() {
        return (bits & ORPHAN) != 0;
    }

    void setOrphan(boolean orphan) {
        bits = orphan ? bits | ORPHAN : bits & ~ORPHAN;
    }

    Policy policy() {
        return policy;
    }

    @Nullable Extra extra() {
        return extra;
    }

    int xattrBytes() {
        return extra == null ? 0 : extra.xattrBytes();
    }

    @Nullable Acl acl() {
        return extra == null ? null : extra.acl;
    }

    @Nullable Acl defaultAcl() {
        return extra == null ? null : extra.defaultAcl;
    }

    /** To write to; made when there is none. */
    Extra ensureExtra() {
        if (extra == null) {
            extra = new Extra();
        }
        return extra;
    }

    /** The names in this directory. */
    Entries entries() {
        if (extra instanceof Entries entries) {
            return entries;
        }
        Entries entries = new Entries();
        if (extra != null) {
            for (byte[] name : extra.xattrNames()) {
                byte[] value = extra.xattr(name);
                if (value != null) {
                    entries.putXattr(name, value);
                }
            }
            entries.acl = extra.acl;
            entries.defaultAcl = extra.defaultAcl;
        }
        extra = entries;
        return entries;
    }

    /**
     * How many names it has in the directory; -1: not known, as of a file with one name, or where
     * its names were loaded before it.
     */
    int namesIn(long directory) {
        return extra == null || extra.homes == null || extra.homes.total() != nlink
                ? -1
                : extra.homes.in(directory);
    }

    /** Whether one of the directories that are known to have names of it is such. */
    boolean anyHome(LongPredicate such) {
        return extra != null && extra.homes != null && extra.homes.any(such);
    }

    /** It has another name there. */
    void nameCame(long directory) {
        if (nlink > 1 && !isDirectory()) {
            homes().add(directory);
        }
    }

    void nameGone(long directory) {
        if (extra != null && extra.homes != null) {
            extra.homes.remove(directory);
        }
    }

    private Homes homes() {
        Extra has = ensureExtra();
        if (has.homes == null) {
            has.homes = new Homes();
        }
        return has.homes;
    }

    /**
     * Of the only name it is known where it is, unless it had others: then that is still to be
     * remembered.
     */
    private void countNames(InodeImage image) {
        boolean several = image.getNlink() > 1 && image.getTypeValue() != FileType.DIRECTORY_VALUE;
        boolean counted = extra != null && extra.homes != null;
        if (several && !counted && exists() && nlink == 1 && parent != 0) {
            homes().add(parent);
        } else if (!several && counted && extra != null && image.getParent() != 0) {
            extra.homes = null;
        }
    }

    /** No longer there, though something may still refer to it. */
    void vanish() {
        bits = 0;
        extra = null;
    }

    void take(InodeImage image, UnaryOperator<Policy> shared) {
        countNames(image);
        size = image.getSize();
        atime = image.getAtime();
        mtime = image.getMtime();
        ctime = image.getCtime();
        btime = image.getBtime();
        parent = image.getParent();
        version = image.getVersion();
        generation = image.getGeneration();
        nlink = image.getNlink();
        uid = image.getUid();
        gid = image.getGid();
        bits = (bits & ORPHAN) | (image.getMode() & MODE) | image.getTypeValue() << TYPE_SHIFT;
        takePolicy(image, shared);
        if (image.getTypeValue() == FileType.DIRECTORY_VALUE) {
            entries();
        }
        if (!image.getTarget().isEmpty()) {
            ensureExtra().target = image.getTarget().toByteArray();
        }
        if (image.getRdev() != 0) {
            ensureExtra().rdev = image.getRdev();
        }
        if (image.hasAllocated() && image.getAllocated() != Space.ofSize(size)) {
            bits |= ALLOCATED_EXTRA;
            ensureExtra().allocated = image.getAllocated();
        }
        takeDigest(image.getDigest());
    }

    private void takePolicy(InodeImage image, UnaryOperator<Policy> shared) {
        if (image.getReplicas() != policy.replicas()
                || image.getStripeCount() != policy.stripeCount()
                || image.getStripeUnit() != policy.stripeUnit()
                || !image.getGroups().equals(policy.groups())) {
            policy =
                    shared.apply(
                            new Policy(
                                    image.getReplicas(),
                                    image.getGroups(),
                                    image.getStripeCount(),
                                    image.getStripeUnit()));
        }
    }

    private void takeDigest(ByteString bytes) {
        if (bytes.size() == 4) {
            bits |= DIGEST_LINE;
            digest =
                    bytes.byteAt(0) << 24
                            | (bytes.byteAt(1) & 255) << 16
                            | (bytes.byteAt(2) & 255) << 8
                            | (bytes.byteAt(3) & 255);
        } else if (!bytes.isEmpty()) {
            bits |= DIGEST_EXTRA;
            ensureExtra().digest = bytes.toByteArray();
        }
    }

    /** Null: as the size tells. */
    private @Nullable Long allocated() {
        return (bits & ALLOCATED_EXTRA) != 0 && extra != null ? extra.allocated : null;
    }

    /** Bytes that are in no hole, about. */
    long data() {
        Long allocated = allocated();
        return allocated == null ? size : Math.min(size, allocated);
    }

    ByteString digest() {
        if ((bits & DIGEST_LINE) != 0) {
            return ByteString.copyFrom(
                    new byte[] {
                        (byte) (digest >> 24),
                        (byte) (digest >> 16),
                        (byte) (digest >> 8),
                        (byte) digest
                    });
        }
        return (bits & DIGEST_EXTRA) != 0 && extra != null && extra.digest != null
                ? ByteString.copyFrom(extra.digest)
                : ByteString.EMPTY;
    }

    ByteString target() {
        return extra == null || extra.target == null
                ? ByteString.EMPTY
                : UnsafeByteOperations.unsafeWrap(extra.target);
    }

    int rdev() {
        return extra == null ? 0 : extra.rdev;
    }

    InodeImage.Builder image() {
        InodeImage.Builder image = InodeImage.newBuilder();
        Long allocated = allocated();
        if (allocated != null) {
            image.setAllocated(allocated);
        }
        return image.setInode(number)
                .setType(type())
                .setMode(mode())
                .setUid(uid)
                .setGid(gid)
                .setNlink(nlink)
                .setSize(size)
                .setAtime(atime)
                .setMtime(mtime)
                .setCtime(ctime)
                .setBtime(btime)
                .setRdev(rdev())
                .setParent(parent)
                .setGeneration(generation)
                .setVersion(version)
                .setTarget(target())
                .setReplicas(policy.replicas())
                .setGroups(policy.groups())
                .setStripeCount(policy.stripeCount())
                .setStripeUnit(policy.stripeUnit())
                .setDigest(digest());
    }

    Attributes.Builder attributes(int defaultReplicas) {
        Attributes.Builder attributes =
                Attributes.newBuilder()
                        .setInode(number)
                        .setType(type())
                        .setMode(mode())
                        .setNlink(nlink)
                        .setUid(uid)
                        .setGid(gid)
                        .setSize(size)
                        .setAtime(atime)
                        .setMtime(mtime)
                        .setCtime(ctime)
                        .setBtime(btime)
                        .setGeneration(generation)
                        .setVersion(version)
                        .setReplicasWanted(
                                policy.replicas() == 0 ? defaultReplicas : policy.replicas());
        Long allocated = allocated();
        if (allocated != null) {
            attributes.setAllocated(allocated);
        }
        if (isDirectory()) {
            attributes.setParent(parent);
        }
        if (extra != null) {
            attributes.setRdev(extra.rdev);
            attributes.setHasAcl(extra.acl != null || extra.defaultAcl != null);
            attributes.setHasXattr(extra.hasXattrs());
            attributes.setHasCapability(Privileges.hasCapability(this));
        }
        return attributes;
    }
}
