package org.gridfarm.protocol.name;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.util.Arrays;

/**
 * One component of a path: 1 to 255 bytes without '/' and NUL, not "." nor "..". POSIX names are
 * bytes; {@link NameText} is their form as text. Immutable: the array is not copied, callers hand
 * it over and do not write to it.
 */
public final class Name implements Comparable<Name> {
    public static final int BYTES_MAX = 255;

    private final byte[] bytes;
    private final int hash;

    private Name(byte[] bytes) {
        this.bytes = bytes;
        this.hash = Arrays.hashCode(bytes);
    }

    /** Refuses with INVALID or NAME_TOO_LONG what cannot be a name. */
    public static Name of(byte[] bytes) {
        if (bytes.length > BYTES_MAX) {
            throw new FarmException(ErrorKind.NAME_TOO_LONG, "name", printable(bytes));
        }
        if (bytes.length == 0) {
            throw new FarmException(ErrorKind.NOT_FOUND, "name", "", "empty name");
        }
        if (bytes[0] == '.' && (bytes.length == 1 || (bytes.length == 2 && bytes[1] == '.'))) {
            throw new FarmException(ErrorKind.INVALID, "name", printable(bytes), "is reserved");
        }
        for (byte b : bytes) {
            if (b == '/' || b == 0) {
                throw new FarmException(
                        ErrorKind.INVALID, "name", printable(bytes), "holds '/' or NUL");
            }
        }
        return new Name(bytes);
    }

    public static Name of(String text) {
        return of(NameText.bytes(text));
    }

    private static String printable(byte[] bytes) {
        return NameText.of(bytes);
    }

    /** The bytes themselves, not to be written to. */
    public byte[] bytes() {
        return bytes;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Name name && hash == name.hash && Arrays.equals(bytes, name.bytes);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public int compareTo(Name other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public String toString() {
        return printable(bytes);
    }
}
