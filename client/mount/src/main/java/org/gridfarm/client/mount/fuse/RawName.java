package org.gridfarm.client.mount.fuse;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// A name as the kernel sent it: bytes, any but `/` and zero. Immutable, with its hash at hand.
public final class RawName {

    private final byte[] bytes;
    private final int hash;

    /// Takes `bytes` over.
    public RawName(byte[] bytes) {
        this.bytes = bytes;
        this.hash = Arrays.hashCode(bytes);
    }

    /// `.`
    public boolean isDot() {
        return bytes.length == 1 && bytes[0] == '.';
    }

    /// `..`
    public boolean isDotDot() {
        return bytes.length == 2 && bytes[0] == '.' && bytes[1] == '.';
    }

    public static RawName of(String text) {
        return new RawName(text.getBytes(StandardCharsets.UTF_8));
    }

    /// The bytes themselves, not a copy: not to be changed.
    public byte[] bytes() {
        return bytes;
    }

    public int length() {
        return bytes.length;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RawName that
                && hash == that.hash
                && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /// As text, for messages: bytes that are not UTF-8 are replaced.
    @Override
    public String toString() {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
