package org.gridfarm.client.mount.fuse;

import java.time.Duration;

/// How a file system is mounted. Make one from [#defaults] with the `with` methods.
///
/// @param source shown as the device in `df` and `findmnt`
/// @param subtype shown as `fuse.SUBTYPE`
/// @param allowOther other users than the one who mounts may use it
/// @param defaultPermissions the kernel checks modes and ACLs before it asks
/// @param readOnly refuses changes in the kernel
/// @param suid set-user and set-group bits count, and file capabilities (root only)
/// @param dev device nodes can be opened (root only)
/// @param noAtime the kernel does not track access times
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
        boolean readOnly,
        boolean suid,
        boolean dev,
        boolean noAtime,
        boolean posixAcl,
        boolean writebackCache,
        int writeBytesMax,
        int readAheadKib,
        int threads,
        Duration deadline) {

    public static final int WRITE_BYTES_LIMIT = 1 << 20;

    public MountOptions {
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

    /// A private mount, checked by the kernel, with ACLs and a deadline of 10 s.
    public static MountOptions defaults() {
        return new MountOptions(
                "gf",
                "gf",
                false,
                true,
                false,
                false,
                false,
                false,
                true,
                false,
                WRITE_BYTES_LIMIT,
                1024,
                0,
                Duration.ofSeconds(10));
    }

    public MountOptions withSource(String value) {
        return new MountOptions(
                value,
                subtype,
                allowOther,
                defaultPermissions,
                readOnly,
                suid,
                dev,
                noAtime,
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
                readOnly,
                suid,
                dev,
                noAtime,
                posixAcl,
                writebackCache,
                writeBytesMax,
                readAheadKib,
                threads,
                deadline);
    }

    public MountOptions withDefaultPermissions(boolean value) {
        return new MountOptions(
                source,
                subtype,
                allowOther,
                value,
                readOnly,
                suid,
                dev,
                noAtime,
                posixAcl,
                writebackCache,
                writeBytesMax,
                readAheadKib,
                threads,
                deadline);
    }

    public MountOptions withReadOnly(boolean value) {
        return new MountOptions(
                source,
                subtype,
                allowOther,
                defaultPermissions,
                value,
                suid,
                dev,
                noAtime,
                posixAcl,
                writebackCache,
                writeBytesMax,
                readAheadKib,
                threads,
                deadline);
    }

    public MountOptions withSuid(boolean value) {
        return new MountOptions(
                source,
                subtype,
                allowOther,
                defaultPermissions,
                readOnly,
                value,
                dev,
                noAtime,
                posixAcl,
                writebackCache,
                writeBytesMax,
                readAheadKib,
                threads,
                deadline);
    }

    public MountOptions withDev(boolean value) {
        return new MountOptions(
                source,
                subtype,
                allowOther,
                defaultPermissions,
                readOnly,
                suid,
                value,
                noAtime,
                posixAcl,
                writebackCache,
                writeBytesMax,
                readAheadKib,
                threads,
                deadline);
    }

    public MountOptions withNoAtime(boolean value) {
        return new MountOptions(
                source,
                subtype,
                allowOther,
                defaultPermissions,
                readOnly,
                suid,
                dev,
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
                readOnly,
                suid,
                dev,
                noAtime,
                value,
                writebackCache,
                writeBytesMax,
                readAheadKib,
                threads,
                deadline);
    }

    public MountOptions withWritebackCache(boolean value) {
        return new MountOptions(
                source,
                subtype,
                allowOther,
                defaultPermissions,
                readOnly,
                suid,
                dev,
                noAtime,
                posixAcl,
                value,
                writeBytesMax,
                readAheadKib,
                threads,
                deadline);
    }

    public MountOptions withWriteBytesMax(int value) {
        return new MountOptions(
                source,
                subtype,
                allowOther,
                defaultPermissions,
                readOnly,
                suid,
                dev,
                noAtime,
                posixAcl,
                writebackCache,
                value,
                readAheadKib,
                threads,
                deadline);
    }

    public MountOptions withReadAheadKib(int value) {
        return new MountOptions(
                source,
                subtype,
                allowOther,
                defaultPermissions,
                readOnly,
                suid,
                dev,
                noAtime,
                posixAcl,
                writebackCache,
                writeBytesMax,
                value,
                threads,
                deadline);
    }

    public MountOptions withThreads(int value) {
        return new MountOptions(
                source,
                subtype,
                allowOther,
                defaultPermissions,
                readOnly,
                suid,
                dev,
                noAtime,
                posixAcl,
                writebackCache,
                writeBytesMax,
                readAheadKib,
                value,
                deadline);
    }

    public MountOptions withDeadline(Duration value) {
        return new MountOptions(
                source,
                subtype,
                allowOther,
                defaultPermissions,
                readOnly,
                suid,
                dev,
                noAtime,
                posixAcl,
                writebackCache,
                writeBytesMax,
                readAheadKib,
                threads,
                value);
    }
}
