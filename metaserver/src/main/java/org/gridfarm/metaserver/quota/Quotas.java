package org.gridfarm.metaserver.quota;

import org.gridfarm.namespace.Charge;
import org.gridfarm.namespace.Namespace;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.QuotaImage;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Usage and limits. Owned by the event thread.
 *
 * <p>Users and groups are always counted, directories only while they have a quota. A quota may lie
 * within another's tree: both count. A file with names in several trees counts in one of them. A
 * directory cannot be renamed out of or into a tree with a quota: CROSS_DEVICE, on which mv copies,
 * as with project quotas of XFS.
 */
public final class Quotas {
    /** When an image names no time of grace: a week, as with Linux. */
    public static final long GRACE_NANOS = 7L * 86_400 * 1_000_000_000L;

    private final Map<Subject, Usage> used = new HashMap<>();
    private final Map<Subject, QuotaImage> limits = new HashMap<>();
    private final Map<Subject, Usage> promised = new HashMap<>();
    private int directories;

    // ---- counting
    // ------------------------------------------------------------------------------------------------------------------------

    /**
     * Takes a change that is about to be applied to the namespace: the difference to what is there
     * is counted.
     */
    public void apply(Change change, Namespace before) {
        switch (change.getChangeCase()) {
            case INODE -> {
                InodeImage image = change.getInode();
                Charge old = before.charge(image.getInode());
                recharge(image.getInode(), old, before.charge(image), before);
            }
            case INODE_GONE -> {
                recharge(change.getInodeGone(), before.charge(change.getInodeGone()), null, before);
                forget(new Subject(Kind.DIRECTORY, change.getInodeGone()));
            }
            case XATTR, XATTR_GONE -> {
                Charge old = before.charge(attributed(change));
                if (old != null) {
                    Charge now = old.withMoreAttributes(attributeBytes(change, before));
                    recharge(attributed(change), old, now, before);
                }
            }
            case QUOTA -> setLimit(change.getQuota(), before);
            default -> {}
        }
    }

    /** The inode whose extended attribute changes. */
    private static long attributed(Change change) {
        return change.hasXattr() ? change.getXattr().getInode() : change.getXattrGone().getInode();
    }

    /** By how many bytes its attributes grow. */
    private static long attributeBytes(Change change, Namespace before) {
        return change.hasXattr()
                ? before.xattrGrowth(
                        change.getXattr().getInode(),
                        change.getXattr().getName(),
                        change.getXattr().getValue())
                : before.xattrGrowth(
                        change.getXattrGone().getInode(), change.getXattrGone().getName(), null);
    }

    private void recharge(long inode, @Nullable Charge old, @Nullable Charge now, Namespace state) {
        if (old != null && now != null && old.equals(now)) {
            return;
        }
        difference(inode, old, now, state).forEach(this::add);
    }

    private void add(Subject subject, Usage usage) {
        merge(used, subject, usage);
    }

    private static void merge(Map<Subject, Usage> sums, Subject subject, Usage usage) {
        sums.merge(subject, usage, (a, b) -> a.plus(b).isNone() ? null : a.plus(b));
    }

    /** Counted against hard limits from now on, beside what is used. For {@link Growth}. */
    void promise(Subject subject, Usage usage) {
        merge(promised, subject, usage);
    }

    /** What more is counted, subject by subject, when a file has this size instead of its own. */
    Map<Subject, Usage> growth(long inode, long size, Namespace state) {
        Charge now = state.charge(inode);
        var content = state.content(inode);
        if (now == null || content == null || size <= now.logical()) {
            return Map.of();
        }
        Charge then =
                new Charge(
                        now.uid(),
                        now.gid(),
                        size,
                        size * content.wanted(),
                        now.attributes(),
                        now.parent(),
                        false);
        return difference(inode, now, then, state);
    }

    /** What is counted anew, subject by subject, when an inode changes. */
    private Map<Subject, Usage> difference(
            long inode, @Nullable Charge old, @Nullable Charge now, Namespace state) {
        Map<Subject, Usage> difference = new LinkedHashMap<>();
        if (old != null) {
            charge(inode, old, Usage.of(old).negative(), state, difference);
        }
        if (now != null) {
            charge(inode, now, Usage.of(now), state, difference);
        }
        difference.values().removeIf(Usage::isNone);
        return difference;
    }

    private void charge(
            long inode, Charge charge, Usage usage, Namespace state, Map<Subject, Usage> to) {
        to.merge(new Subject(Kind.USER, Integer.toUnsignedLong(charge.uid())), usage, Usage::plus);
        to.merge(new Subject(Kind.GROUP, Integer.toUnsignedLong(charge.gid())), usage, Usage::plus);
        if (directories > 0) {
            for (long root : roots(charge.directory() ? inode : 0, charge.parent(), state)) {
                to.merge(new Subject(Kind.DIRECTORY, root), usage, Usage::plus);
            }
        }
    }

    /** The directories with a quota in which an inode lies, a directory counting in its own. */
    private List<Long> roots(long self, long parent, Namespace state) {
        List<Long> roots = new ArrayList<>(1);
        if (self != 0 && limits.containsKey(new Subject(Kind.DIRECTORY, self))) {
            roots.add(self);
        }
        long at = parent == self ? 0 : parent;
        long steps = state.inodeCount();
        while (at != 0 && steps-- >= 0) {
            if (limits.containsKey(new Subject(Kind.DIRECTORY, at))) {
                roots.add(at);
            }
            Charge charge = at == Namespace.ROOT ? null : state.charge(at);
            at = charge == null ? 0 : charge.parent();
        }
        return roots;
    }

    private void setLimit(QuotaImage image, Namespace state) {
        Subject subject = new Subject(Kind.of(image.getKind()), image.getId());
        if (image.getGone()) {
            forgetLimit(subject);
            return;
        }
        boolean fresh = limits.put(subject, image) == null;
        if (fresh && subject.kind() == Kind.DIRECTORY) {
            directories++;
            countTree(subject, state);
        }
    }

    private void forgetLimit(Subject subject) {
        if (limits.remove(subject) != null && subject.kind() == Kind.DIRECTORY) {
            directories--;
            used.remove(subject);
        }
    }

    private void forget(Subject directory) {
        if (directories > 0) {
            forgetLimit(directory);
        }
    }

    private void countTree(Subject root, Namespace state) {
        Usage[] sum = {Usage.NONE};
        state.forEach(inode -> {
            Charge charge = state.charge(inode);
            if (charge != null
                    && roots(charge.directory() ? inode : 0, charge.parent(), state)
                            .contains(root.id())) {
                sum[0] = sum[0].plus(Usage.of(charge));
            }
        });
        used.remove(root);
        if (!sum[0].isNone()) {
            used.put(root, sum[0]);
        }
    }

    /**
     * Counts everything anew: after rows were loaded in an order in which directories came after
     * what they hold, and for checks.
     */
    public void recount(Namespace state) {
        used.clear();
        state.forEach(inode -> recharge(inode, null, state.charge(inode), state));
    }

    // ---- checking
    // ------------------------------------------------------------------------------------------------------------------------

    /**
     * Whether the changes, which have been decided but not applied, may be. Only what grows is
     * looked at. The superuser is not limited, but for directories that cannot be moved.
     *
     * @param now nanoseconds since 1970
     * @return changes to be applied with them: times of grace that begin or end
     * @throws FarmException QUOTA_EXCEEDED, CROSS_DEVICE
     */
    public List<Change> check(List<Change> changes, Credentials who, long now, Namespace before) {
        if (limits.isEmpty()) {
            return List.of();
        }
        Map<Subject, Usage> growth = new LinkedHashMap<>();
        Map<Long, Charge> after = new HashMap<>(); // of inodes that these changes touch
        for (Change change : changes) {
            if (change.hasInode()) {
                InodeImage image = change.getInode();
                Charge old = before.charge(image.getInode());
                requireSameTree(image, old, before);
                Charge then = before.charge(image);
                after.put(image.getInode(), then);
                difference(image.getInode(), old, then, before)
                        .forEach((s, u) -> growth.merge(s, u, Usage::plus));
            } else if (change.hasInodeGone()) {
                Charge old = before.charge(change.getInodeGone());
                difference(change.getInodeGone(), old, null, before)
                        .forEach((s, u) -> growth.merge(s, u, Usage::plus));
            } else if (change.hasXattr() || change.hasXattrGone()) {
                long inode = attributed(change);
                Charge old = after.containsKey(inode) ? after.get(inode) : before.charge(inode);
                if (old == null) continue;
                Charge then = old.withMoreAttributes(attributeBytes(change, before));
                after.put(inode, then);
                difference(inode, old, then, before)
                        .forEach((s, u) -> growth.merge(s, u, Usage::plus));
            }
        }
        List<Change> graces = new ArrayList<>();
        growth.forEach((subject, more) -> {
            QuotaImage limit = limits.get(subject);
            if (limit != null) {
                check(subject, limit, more, who.getUid() == 0, now, graces);
            }
        });
        return graces;
    }

    private void requireSameTree(InodeImage image, @Nullable Charge old, Namespace state) {
        if (directories == 0
                || old == null
                || !old.directory()
                || old.parent() == image.getParent()) {
            return;
        }
        if (!roots(0, old.parent(), state).equals(roots(0, image.getParent(), state))) {
            throw new FarmException(
                    ErrorKind.CROSS_DEVICE,
                    "rename",
                    "inode " + Long.toHexString(image.getInode()),
                    "a directory does not leave or enter a tree with a quota");
        }
    }

    private void check(
            Subject subject,
            QuotaImage limit,
            Usage more,
            boolean unlimited,
            long now,
            List<Change> graces) {
        Usage after = usage(subject).plus(more);
        QuotaImage graced = graced(limit, after, now);
        if (!unlimited) {
            after = after.plus(promised.getOrDefault(subject, Usage.NONE));
            refuse(subject, "bytes", more.logical(), after.logical(), limit.getBytesHard());
            refuse(
                    subject,
                    "bytes of copies",
                    more.physical(),
                    after.physical(),
                    limit.getPhysicalHard());
            refuse(subject, "inodes", more.inodes(), after.inodes(), limit.getInodesHard());
            if (limit.getGraceUntil() != 0 && now > limit.getGraceUntil()) {
                refuse(
                        subject,
                        "bytes, the time of grace is over",
                        more.logical(),
                        after.logical(),
                        limit.getBytesSoft());
                refuse(
                        subject,
                        "bytes of copies, the time of grace is over",
                        more.physical(),
                        after.physical(),
                        limit.getPhysicalSoft());
                refuse(
                        subject,
                        "inodes, the time of grace is over",
                        more.inodes(),
                        after.inodes(),
                        limit.getInodesSoft());
            }
        }
        if (graced.getGraceUntil() != limit.getGraceUntil()) {
            graces.add(Change.newBuilder().setQuota(graced).build());
        }
    }

    /** The limit with the time of grace begun or ended, as the present usage has it. */
    public QuotaImage graced(QuotaImage limit, long now) {
        return graced(limit, usage(new Subject(Kind.of(limit.getKind()), limit.getId())), now);
    }

    private static QuotaImage graced(QuotaImage limit, Usage used, long now) {
        boolean overSoft =
                over(used.logical(), limit.getBytesSoft())
                        || over(used.physical(), limit.getPhysicalSoft())
                        || over(used.inodes(), limit.getInodesSoft());
        if (overSoft != (limit.getGraceUntil() == 0)) return limit;
        long period = limit.getGracePeriod() == 0 ? GRACE_NANOS : limit.getGracePeriod();
        return limit.toBuilder().setGraceUntil(overSoft ? now + period : 0).build();
    }

    /**
     * What is counted otherwise than a walk over everything counts it, by subject; the second is
     * the truth.
     */
    public Map<Subject, List<Usage>> miscounted(Namespace state) {
        Quotas fresh = new Quotas();
        fresh.limits.putAll(limits);
        fresh.directories = directories;
        fresh.recount(state);
        Map<Subject, List<Usage>> wrong = new LinkedHashMap<>();
        Set<Subject> all = new HashSet<>(used.keySet());
        all.addAll(fresh.used.keySet());
        for (Subject subject : all) {
            Usage counted = usage(subject);
            Usage truth = fresh.usage(subject);
            if (!counted.equals(truth)) wrong.put(subject, List.of(counted, truth));
        }
        return wrong;
    }

    private static boolean over(long used, long limit) {
        return limit != 0 && used > limit;
    }

    private static void refuse(Subject subject, String what, long more, long after, long limit) {
        if (more > 0 && over(after, limit)) {
            throw new FarmException(
                    ErrorKind.QUOTA_EXCEEDED,
                    "quota",
                    subject.toString(),
                    after + " of " + limit + " " + what);
        }
    }

    /**
     * By how many bytes the file may still grow before a hard limit, or a soft one out of grace, is
     * met; what is promised to others is theirs. Long.MAX_VALUE: no limit.
     */
    public long allowance(long inode, long now, Namespace state) {
        Charge charge = state.charge(inode);
        if (charge == null || limits.isEmpty()) {
            return Long.MAX_VALUE;
        }
        var content = state.content(inode);
        int level = content == null ? 1 : content.wanted();
        Map<Subject, Usage> subjects = new LinkedHashMap<>();
        charge(inode, charge, Usage.NONE, state, subjects);
        long allowance = Long.MAX_VALUE;
        for (Subject subject : subjects.keySet()) {
            QuotaImage limit = limits.get(subject);
            if (limit == null) {
                continue;
            }
            Usage usage = usage(subject).plus(promised.getOrDefault(subject, Usage.NONE));
            boolean graceOver = limit.getGraceUntil() != 0 && now > limit.getGraceUntil();
            allowance = Math.min(allowance, left(limit.getBytesHard(), usage.logical()));
            allowance =
                    Math.min(
                            allowance,
                            perCopy(left(limit.getPhysicalHard(), usage.physical()), level));
            if (graceOver) {
                allowance = Math.min(allowance, left(limit.getBytesSoft(), usage.logical()));
                allowance =
                        Math.min(
                                allowance,
                                perCopy(left(limit.getPhysicalSoft(), usage.physical()), level));
            }
        }
        return allowance;
    }

    private static long perCopy(long bytes, int level) {
        return bytes == Long.MAX_VALUE ? bytes : bytes / level;
    }

    private static long left(long limit, long used) {
        return limit == 0 ? Long.MAX_VALUE : Math.max(0, limit - used);
    }

    // ---- reading
    // -------------------------------------------------------------------------------------------------------------------------

    public Usage usage(Subject subject) {
        return used.getOrDefault(subject, Usage.NONE);
    }

    public @Nullable QuotaImage limit(Subject subject) {
        return limits.get(subject);
    }

    /** All limits there are. */
    public List<QuotaImage> limits() {
        return List.copyOf(limits.values());
    }

    /** Everybody that uses something. */
    public Map<Subject, Usage> usages() {
        return Map.copyOf(used);
    }

    public void clear() {
        used.clear();
        promised.clear();
        limits.clear();
        directories = 0;
    }
}
