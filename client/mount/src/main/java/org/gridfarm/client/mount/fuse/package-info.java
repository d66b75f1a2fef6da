/// What a file system must answer to be mounted, and nothing about how the kernel is reached.
///
/// [FuseOperations] has one method for each request of the Linux FUSE protocol (`linux/fuse.h`,
/// 7.45): inode-based, asynchronous, answered through the reply object handed in, at once or later
/// and from any thread. [KernelCache] and [Passthrough] are what a running mount offers in return;
/// [NodeTable], [OpenFiles] and [RecallLog] are the books such a file system has to keep. An engine
/// (`fuse.linux`) owns every reply object. Nothing here does IO, starts a thread or knows
/// `java.lang.foreign`.
@NullMarked
package org.gridfarm.client.mount.fuse;

import org.jspecify.annotations.NullMarked;
