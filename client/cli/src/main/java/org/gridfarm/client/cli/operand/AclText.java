package org.gridfarm.client.cli.operand;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A POSIX ACL as {@code getfacl} shows it and {@code setfacl} takes it, and as the kernel keeps it
 * in an extended attribute (include uapi/linux/posix_acl_xattr.h). Immutable.
 */
public record AclText(List<Entry> entries) {
    public static final String ACCESS = "system.posix_acl_access";
    public static final String DEFAULT = "system.posix_acl_default";

    private static final int VERSION = 2;
    private static final int NO_ID = -1;

    /** In the order the kernel wants them. */
    public enum Tag {
        USER_OBJ(0x01, "user"),
        USER(0x02, "user"),
        GROUP_OBJ(0x04, "group"),
        GROUP(0x08, "group"),
        MASK(0x10, "mask"),
        OTHER(0x20, "other");

        private final int number;
        private final String word;

        Tag(int number, String word) {
            this.number = number;
            this.word = word;
        }

        public String word() {
            return word;
        }

        boolean isNamed() {
            return this == USER || this == GROUP;
        }

        static Tag of(int number) {
            for (Tag tag : values()) {
                if (tag.number == number) {
                    return tag;
                }
            }
            throw new FarmException(ErrorKind.PROTOCOL, "acl", "", "unknown tag " + number);
        }
    }

    /**
     * @param id of the user or group that is named, else -1
     * @param bits rwx, 0 to 7
     */
    public record Entry(Tag tag, int id, int bits) {
        boolean isSameSubject(Entry other) {
            return tag == other.tag && id == other.id;
        }
    }

    public AclText {
        entries =
                entries.stream()
                        .sorted(
                                Comparator.comparing(Entry::tag)
                                        .thenComparing(Entry::id, Integer::compareUnsigned))
                        .toList();
    }

    /** What the permission bits alone say. */
    public static AclText ofMode(int mode) {
        return new AclText(
                List.of(
                        new Entry(Tag.USER_OBJ, NO_ID, mode >> 6 & 7),
                        new Entry(Tag.GROUP_OBJ, NO_ID, mode >> 3 & 7),
                        new Entry(Tag.OTHER, NO_ID, mode & 7)));
    }

    /** From the value of the extended attribute. */
    public static AclText ofValue(byte[] value) {
        ByteBuffer in = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
        if (value.length < 4 || (value.length - 4) % 8 != 0 || in.getInt() != VERSION) {
            throw new FarmException(ErrorKind.PROTOCOL, "acl", "", "not of the kernel's form");
        }
        List<Entry> entries = new ArrayList<>();
        while (in.hasRemaining()) {
            Tag tag = Tag.of(in.getShort() & 0xffff);
            int bits = in.getShort() & 7;
            int id = in.getInt();
            entries.add(new Entry(tag, tag.isNamed() ? id : NO_ID, bits));
        }
        return new AclText(entries);
    }

    public byte[] value() {
        ByteBuffer out = ByteBuffer.allocate(4 + 8 * entries.size()).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(VERSION);
        for (Entry entry : entries) {
            out.putShort((short) entry.tag.number).putShort((short) entry.bits).putInt(entry.id);
        }
        return out.array();
    }

    /** {@code user:ann:rw-}, also {@code u::7}; without permissions where it is to be removed. */
    public static Entry entry(String text, boolean removed) {
        String[] parts = text.split(":", -1);
        String word = parts[0];
        boolean user = word.equals("u") || word.equals("user");
        boolean group = word.equals("g") || word.equals("group");
        boolean mask = word.equals("m") || word.equals("mask");
        boolean other = word.equals("o") || word.equals("other");
        boolean known = user || group || mask || other;
        boolean whole =
                removed
                        ? parts.length == 2 || parts.length == 1
                        : parts.length == 3 || (mask || other) && parts.length == 2;
        if (!known || !whole) {
            throw new FarmException(
                    ErrorKind.USAGE,
                    "acl",
                    text,
                    "entries are like user:ann:rw-, group::r-x, mask::rwx or other::---");
        }
        String name = parts.length > 1 && (user || group || parts.length == 3) ? parts[1] : "";
        int bits = removed ? 0 : bits(text, parts[parts.length - 1]);
        if (mask || other) {
            return new Entry(mask ? Tag.MASK : Tag.OTHER, NO_ID, bits);
        }
        if (name.isEmpty()) {
            return new Entry(user ? Tag.USER_OBJ : Tag.GROUP_OBJ, NO_ID, bits);
        }
        return user
                ? new Entry(Tag.USER, Owner.user(name), bits)
                : new Entry(Tag.GROUP, Owner.group(name), bits);
    }

    private static int bits(String entry, String text) {
        if (text.matches("[0-7]")) {
            return Integer.parseInt(text);
        }
        if (!text.matches("[rwx-]{0,3}")) {
            throw new FarmException(
                    ErrorKind.USAGE, "acl", entry, "permissions are like rw-, r or 6");
        }
        return (text.contains("r") ? 4 : 0)
                | (text.contains("w") ? 2 : 0)
                | (text.contains("x") ? 1 : 0);
    }

    public AclText with(Entry changed) {
        List<Entry> all = new ArrayList<>(entries);
        all.removeIf(entry -> entry.isSameSubject(changed));
        all.add(changed);
        return new AclText(all);
    }

    public AclText without(Entry removed) {
        return new AclText(entries.stream().filter(e -> !e.isSameSubject(removed)).toList());
    }

    /** Without users and groups by name, and without the mask. */
    public AclText base() {
        return new AclText(
                entries.stream().filter(e -> !e.tag.isNamed() && e.tag != Tag.MASK).toList());
    }

    /**
     * What the kernel requires beside entries with names: a mask of all that the group class may.
     */
    public AclText withMask() {
        int all = 0;
        boolean needed = false;
        for (Entry entry : entries) {
            if (entry.tag.isNamed() || entry.tag == Tag.GROUP_OBJ) {
                all |= entry.bits;
                needed |= entry.tag.isNamed();
            }
        }
        AclText bare = new AclText(entries.stream().filter(e -> e.tag != Tag.MASK).toList());
        return needed ? bare.with(new Entry(Tag.MASK, NO_ID, all)) : bare;
    }

    public boolean hasNames() {
        return entries.stream().anyMatch(e -> e.tag.isNamed() || e.tag == Tag.MASK);
    }

    public static String permissions(int bits) {
        return ((bits & 4) != 0 ? "r" : "-")
                + ((bits & 2) != 0 ? "w" : "-")
                + ((bits & 1) != 0 ? "x" : "-");
    }
}
