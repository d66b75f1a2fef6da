package org.gridfarm.client.cli.gateway.s3.auth;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/** A sum of a body that its sender told, as it grows with the bytes that come. */
interface Checksum {
    void update(byte[] bytes, int offset, int length);

    byte[] value();

    /**
     * @param algorithm as in {@code x-amz-checksum-...}; null: none of that name is known
     */
    static @Nullable Checksum named(String algorithm) {
        return switch (algorithm) {
            case "crc32" -> of(new CRC32());
            case "crc32c" -> of(new CRC32C());
            case "crc64nvme" -> new Crc64Nvme();
            case "sha1" -> of(Hashes.digest("SHA-1"));
            case "sha256" -> of(Hashes.digest("SHA-256"));
            case "md5" -> of(Hashes.digest("MD5"));
            default -> null;
        };
    }

    static Checksum of(MessageDigest digest) {
        return new Checksum() {
            @Override
            public void update(byte[] bytes, int offset, int length) {
                digest.update(bytes, offset, length);
            }

            @Override
            public byte[] value() {
                return digest.digest();
            }
        };
    }

    private static Checksum of(java.util.zip.Checksum crc) {
        return new Checksum() {
            @Override
            public void update(byte[] bytes, int offset, int length) {
                crc.update(bytes, offset, length);
            }

            @Override
            public byte[] value() {
                return ByteBuffer.allocate(Integer.BYTES).putInt((int) crc.getValue()).array();
            }
        };
    }
}
