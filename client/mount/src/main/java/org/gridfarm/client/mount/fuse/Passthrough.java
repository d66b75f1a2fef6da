package org.gridfarm.client.mount.fuse;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;

/// Lets the kernel read and write a local file directly in place of a file of the mount (Linux
/// 6.9).
public interface Passthrough {

    /// False once the kernel has refused for good: too old, or no CAP_SYS_ADMIN.
    boolean available();

    /// Registers a complete local file with identical offsets; null where that cannot be (then
    /// [#refusal] says why).
    ///
    /// The kernel opens `file` again with the flags of each user's open and with the rights of this
    /// process: a file that must not be written may be passed to readers only.
    @Nullable Backing open(Path file);

    /// Whether anybody has this local file open for writing, also by a mapping alone; false where
    /// that cannot be told.
    boolean isOpenForWriting(Path file);

    /// Sets the access time of a local file back to 1970, so that the next read moves it; false
    /// where that cannot be.
    boolean forgetReads(Path file);

    /// Takes over a registration that a former process of this mount made.
    Backing adopt(int id);

    /// Why the last registration failed, one line; empty when none did.
    String refusal();
}
