package org.gridfarm.storagenode.replica;

import org.gridfarm.protocol.wire.ObjectId;
import org.jspecify.annotations.Nullable;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One content object; as a file name {@code <inode hex>.<stripe>.<generation>}. */
public record ObjectKey(long inode, int stripe, int generation) {
    public static final String SUM_SUFFIX = ".sum";
    private static final Pattern FORM =
            Pattern.compile("([0-9a-f]{1,16})\\.([0-9]{1,9})\\.([0-9]{1,10})");

    public static ObjectKey of(ObjectId id) {
        return new ObjectKey(id.getInode(), id.getStripe(), id.getGeneration());
    }

    /** Null when the name is not that of an object. */
    public static @Nullable ObjectKey parse(String fileName) {
        Matcher matcher = FORM.matcher(fileName);
        if (!matcher.matches()) {
            return null;
        }
        return new ObjectKey(
                Long.parseUnsignedLong(matcher.group(1), 16),
                Integer.parseInt(matcher.group(2)),
                Integer.parseUnsignedInt(matcher.group(3)));
    }

    public ObjectId id() {
        return ObjectId.newBuilder()
                .setInode(inode)
                .setStripe(stripe)
                .setGeneration(generation)
                .build();
    }

    public ObjectKey withGeneration(int other) {
        return new ObjectKey(inode, stripe, other);
    }

    /** The directory it lies in: files made one after the other share one, 256 inodes each. */
    public int slot() {
        return (int) (inode >>> 8) & 0xFFFF;
    }

    public String fileName() {
        return Long.toHexString(inode) + "." + stripe + "." + Integer.toUnsignedString(generation);
    }

    public String sumName() {
        return fileName() + SUM_SUFFIX;
    }

    @Override
    public String toString() {
        return fileName();
    }
}
