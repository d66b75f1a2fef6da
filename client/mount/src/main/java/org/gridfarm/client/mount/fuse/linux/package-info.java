/// The Linux engine: speaks the FUSE protocol on `/dev/fuse` through `java.lang.foreign`, with no
/// native library.
///
/// [LinuxMount] is the door. [Session] owns the device and its threads: [Worker]s read requests,
/// [Dispatcher] turns each into one call of the operations, [KernelRequest] carries the answer back
/// with one write(2) from whichever thread gives it, [Sweeper] answers what nobody answers in time,
/// [KernelNotices] takes back what the kernel cached. [Abi] and [Libc] hold every offset and every
/// call. Nothing here knows what is mounted.
@NullMarked
package org.gridfarm.client.mount.fuse.linux;

import org.jspecify.annotations.NullMarked;
