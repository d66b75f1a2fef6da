package org.gridfarm.client.mount.fuse;

import java.time.Duration;
import java.util.Set;

/// How a file system is mounted. Make one from [#defaults] with the `with` methods. Immutable.
///
/// @param source shown as the device in `df` and `findmnt`
/// @param subtype shown as `fuse.SUBTYPE`
/// @param allowOther other users than the one who mounts may use it
/// @param defaultPermissions the kernel checks modes and ACLs before it asks
/// @param flags what the kernel sees to by itself; for ordinary users it adds `nosuid` and `nodev`
/// @param posixAcl the kernel reads and checks `system.posix_acl_*`; implies `defaultPermissions`
/// @param writebackCache the kernel collects small writes; excludes passthrough
/// @param writeBytesMax largest READ and WRITE, a multiple of 4096 up to 1 MiB
/// @param readAheadKib how far the kernel reads ahead, 0 for its own choice (128)
/// @param threads workers that read requests, 0 for max(2, processors)
/// @param deadline an operation not answered by then fails with ETIMEDOUT; waiting lock requests
///   have none
public record MountOptions(
        String source,
        String subtype,
        boolean allowOther,
        boolean defaultPermissions,
        Set<MountFlag> flags,
        boolean posixAcl,
        boolean writebackCache,
        int writeBytesMax,
        int readAheadKib,
        int threads,
        Duration deadline) {

    public static final int WRITE_BYTES_LIMIT = 1 << 20;

    public MountOptions {
        flags = Set.copyOf(flags);
        if (writeBytesMax < 4096
                || writeBytesMax > WRITE_BYTES_LIMIT
                || writeBytesMax % 4096 != 0) {
            throw new IllegalArgumentException(
                    "writeBytesMax must be a multiple of 4096 up to 1048576: " + writeBytesMax);
        }
        if (deadline.isNegative() || deadline.isZero()) {
            throw new IllegalArgumentException("deadline must be above 0: " + deadline);
        }
    }

    /// A private mount without set-user bits and devices, checked by the kernel, with ACLs and a
    /// deadline of 10 s.
    public static MountOptions defaults() {
        return new MountOptions(
                "gf",
                "gf",
                false,
                true,
                Set.of(MountFlag.NO_SUID, MountFlag.NO_DEV),
                true,
                false,
                WRITE_BYTES_LIMIT,
                1024,
                0,
                Duration.ofSeconds(10));
    }

    public boolean has(MountFlag flag) {
        return flags.contains(flag);
    }

    public MountOptions withSource(String value) {
        return new MountOptions(
                value,
                subtype,
                allowOther,
                defaultPermissions,
                flags,
                posixAcl,
                writebackCache,
                writeBytesMax,
                readAheadKib,
                threads,
                deadline);
    }

    public MountOptions withAllowOther(boolean value) {
        return new MountOptions(
                source,
                subtype,
                value,
                defaultPermissions,
                flags,
                posixAcl,
                writebackCache,
                writeBytesMax,
                readAheadKib,
                threads,
                deadline);
    }

    public MountOptions withFlags(Set<MountFlag> value) {
        return new MountOptions(
                source,
                subtype,
                allowOther,
                defaultPermissions,
                value,
                posixAcl,
                writebackCache,
                writeBytesMax,
                readAheadKib,
                threads,
                deadline);
    }

    public MountOptions withPosixAcl(boolean value) {
        return new MountOptions(
                source,
                subtype,
                allowOther,
                defaultPermissions,
                flags,
                value,
                writebackCache,
                writeBytesMax,
                readAheadKib,
                threads,
                deadline);
    }

    public MountOptions withDeadline(Duration value) {
        return new MountOptions(
                source,
                subtype,
                allowOther,
                defaultPermissions,
                flags,
                posixAcl,
                writebackCache,
                writeBytesMax,
                readAheadKib,
                threads,
                value);
    }
}
