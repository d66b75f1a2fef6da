package org.gridfarm.client.hadoop;

import static java.util.stream.Collectors.toList;

import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclEntryScope;
import org.apache.hadoop.fs.permission.AclEntryType;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.gridfarm.client.Account;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * One access or default ACL. The farm has it as the kernel does, in an extended attribute (include
 * uapi/linux/posix_acl_xattr.h), Hadoop as entries with names. Immutable; changes follow HDFS: the
 * mask is all that the group class may, unless it is said.
 */
final class PosixAcl {
    private static final int VERSION = 2;
    private static final int HEADER_BYTES = 4;
    private static final int ENTRY_BYTES = 8;
    private static final int NO_ID = -1;
    private static final int USER_OBJ = 0x01;
    private static final int USER = 0x02;
    private static final int GROUP_OBJ = 0x04;
    private static final int GROUP = 0x08;
    private static final int MASK = 0x10;
    private static final int OTHER = 0x20;

    /**
     * @param name of a user or group of its own entry; empty: the owner's and the others
     */
    private record Subject(AclEntryType type, String name) {
        static Subject of(AclEntry entry) {
            return new Subject(entry.getType(), Objects.requireNonNullElse(entry.getName(), ""));
        }

        boolean isNamed() {
            return !name.isEmpty();
        }

        boolean isBase() {
            return !isNamed() && type != AclEntryType.MASK;
        }

        int tag() {
            return switch (type) {
                case USER -> isNamed() ? USER : USER_OBJ;
                case GROUP -> isNamed() ? GROUP : GROUP_OBJ;
                case MASK -> MASK;
                case OTHER -> OTHER;
            };
        }

        int id() {
            return switch (tag()) {
                case USER -> Account.uid(name);
                case GROUP -> Account.gid(name);
                default -> NO_ID;
            };
        }
    }

    private static final Subject THE_MASK = new Subject(AclEntryType.MASK, "");
    private static final Subject OWNING_GROUP = new Subject(AclEntryType.GROUP, "");

    private final Map<Subject, FsAction> entries;

    private PosixAcl(Map<Subject, FsAction> entries) {
        this.entries = Collections.unmodifiableMap(entries);
    }

    static PosixAcl empty() {
        return new PosixAcl(Map.of());
    }

    /** What the permission bits say. */
    static PosixAcl ofMode(int mode) {
        Map<Subject, FsAction> entries = new LinkedHashMap<>();
        entries.put(new Subject(AclEntryType.USER, ""), action(mode >> 6));
        entries.put(OWNING_GROUP, action(mode >> 3));
        entries.put(new Subject(AclEntryType.OTHER, ""), action(mode));
        return new PosixAcl(entries);
    }

    private static FsAction action(int bits) {
        return new FsPermission((short) (bits & 7)).getOtherAction();
    }

    /** From the value of the extended attribute. */
    static PosixAcl ofValue(byte[] value) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
        if (value.length < HEADER_BYTES
                || (value.length - HEADER_BYTES) % ENTRY_BYTES != 0
                || in.getInt() != VERSION) {
            throw new IOException("the ACL is not of the kernel's form");
        }
        Map<Subject, FsAction> entries = new LinkedHashMap<>();
        while (in.hasRemaining()) {
            int tag = in.getShort() & 0xffff;
            FsAction action = action(in.getShort());
            entries.put(subject(tag, in.getInt()), action);
        }
        return new PosixAcl(entries);
    }

    private static short bits(FsAction action) {
        return new FsPermission(FsAction.NONE, FsAction.NONE, action).toShort();
    }

    private static Subject subject(int tag, int id) throws IOException {
        return switch (tag) {
            case USER_OBJ -> new Subject(AclEntryType.USER, "");
            case USER -> new Subject(AclEntryType.USER, Account.userName(id));
            case GROUP_OBJ -> OWNING_GROUP;
            case GROUP -> new Subject(AclEntryType.GROUP, Account.groupName(id));
            case MASK -> THE_MASK;
            case OTHER -> new Subject(AclEntryType.OTHER, "");
            default -> throw new IOException("the ACL has an unknown entry " + tag);
        };
    }

    /** In the order that the kernel wants. */
    byte[] value() {
        ByteBuffer out =
                ByteBuffer.allocate(HEADER_BYTES + ENTRY_BYTES * entries.size())
                        .order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(VERSION);
        entries.entrySet().stream()
                .sorted(
                        Comparator.comparingInt(
                                        (Map.Entry<Subject, FsAction> e) -> e.getKey().tag())
                                .thenComparing(e -> e.getKey().id(), Integer::compareUnsigned))
                .forEach(e ->
                        out.putShort((short) e.getKey().tag())
                                .putShort(bits(e.getValue()))
                                .putInt(e.getKey().id()));
        return out.array();
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    /** More than the permission bits say. */
    boolean isExtended() {
        return entries.keySet().stream().anyMatch(subject -> !subject.isBase());
    }

    /** As HDFS tells them: of an access ACL without what the permission bits tell. */
    List<AclEntry> entries(AclEntryScope scope) {
        boolean all = scope == AclEntryScope.DEFAULT;
        return entries.entrySet().stream()
                .filter(e -> all || e.getKey().type() == AclEntryType.GROUP || e.getKey().isNamed())
                .sorted(
                        Comparator.comparingInt(
                                        (Map.Entry<Subject, FsAction> e) -> e.getKey().tag())
                                .thenComparing(e -> e.getKey().name()))
                .map(e -> entry(scope, e.getKey(), e.getValue()))
                .collect(toList());
    }

    private static AclEntry entry(AclEntryScope scope, Subject subject, FsAction action) {
        return new AclEntry.Builder()
                .setScope(scope)
                .setType(subject.type())
                .setName(subject.isNamed() ? subject.name() : null)
                .setPermission(action)
                .build();
    }

    // ---- changes

    PosixAcl with(List<AclEntry> changed) throws IOException {
        Map<Subject, FsAction> all = new LinkedHashMap<>(entries);
        for (AclEntry entry : changed) {
            if (entry.getPermission() == null) {
                throw new IOException("the entry " + entry + " says nothing of permissions");
            }
            all.put(Subject.of(entry), entry.getPermission());
        }
        return masked(all, isSaid(changed));
    }

    PosixAcl without(List<AclEntry> removed, AclEntryScope scope) throws IOException {
        Map<Subject, FsAction> all = new LinkedHashMap<>(entries);
        for (AclEntry entry : removed) {
            Subject subject = Subject.of(entry);
            if (subject.isBase() && scope == AclEntryScope.ACCESS) {
                throw new IOException(
                        "the entry " + entry + " cannot be removed: each file has one");
            }
            all.remove(subject);
        }
        if (isSaid(removed) && all.keySet().stream().anyMatch(Subject::isNamed)) {
            throw new IOException("entries with names are left, which need a mask");
        }
        return masked(all, false);
    }

    private static boolean isSaid(List<AclEntry> change) {
        return change.stream().anyMatch(entry -> entry.getType() == AclEntryType.MASK);
    }

    /** Entries that each ACL has, where this one lacks them. */
    PosixAcl completed(PosixAcl base) throws IOException {
        Map<Subject, FsAction> all = new LinkedHashMap<>(entries);
        base.entries.forEach((subject, action) -> {
            if (subject.isBase()) {
                all.putIfAbsent(subject, action);
            }
        });
        return masked(all, all.containsKey(THE_MASK));
    }

    /** Without users and groups by name, and without a mask. */
    PosixAcl base() {
        Map<Subject, FsAction> all = new LinkedHashMap<>(entries);
        FsAction mask = all.get(THE_MASK);
        all.keySet().removeIf(subject -> !subject.isBase());
        if (mask != null) {
            all.computeIfPresent(OWNING_GROUP, (group, action) -> action.and(mask));
        }
        return new PosixAcl(all);
    }

    private static PosixAcl masked(Map<Subject, FsAction> all, boolean maskIsSaid) {
        if (!maskIsSaid) {
            all.remove(THE_MASK);
            if (all.keySet().stream().anyMatch(Subject::isNamed)) {
                FsAction mask = FsAction.NONE;
                for (Map.Entry<Subject, FsAction> e : all.entrySet()) {
                    if (e.getKey().isNamed() || e.getKey().equals(OWNING_GROUP)) {
                        mask = mask.or(e.getValue());
                    }
                }
                all.put(THE_MASK, mask);
            }
        }
        return new PosixAcl(all);
    }

    // ---- judgement

    /** By the algorithm of acl(5). */
    boolean permits(Account who, int owner, int group, FsAction wanted) {
        if (who.uid() == owner) {
            return may(new Subject(AclEntryType.USER, ""), wanted);
        }
        Subject named = new Subject(AclEntryType.USER, Account.userName(who.uid()));
        if (entries.containsKey(named)) {
            return mayUnderMask(named, wanted);
        }
        List<Subject> groups = new ArrayList<>();
        for (Subject subject : entries.keySet()) {
            if (subject.type() == AclEntryType.GROUP
                    && who.isIn(subject.isNamed() ? Account.gid(subject.name()) : group)) {
                groups.add(subject);
            }
        }
        return groups.isEmpty()
                ? may(new Subject(AclEntryType.OTHER, ""), wanted)
                : groups.stream().anyMatch(subject -> mayUnderMask(subject, wanted));
    }

    private boolean may(Subject subject, FsAction wanted) {
        return implies(entries.get(subject), wanted);
    }

    private boolean mayUnderMask(Subject subject, FsAction wanted) {
        FsAction mask = entries.getOrDefault(THE_MASK, FsAction.ALL);
        return implies(entries.get(subject), wanted) && mask.implies(wanted);
    }

    private static boolean implies(@Nullable FsAction has, FsAction wanted) {
        return has != null && has.implies(wanted);
    }
}
