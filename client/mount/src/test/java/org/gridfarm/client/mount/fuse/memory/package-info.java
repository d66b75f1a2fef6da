/// A whole file system in memory, to try engines against: what `fuse` asks for, with POSIX
/// semantics and nothing kept.
@NullMarked
package org.gridfarm.client.mount.fuse.memory;

import org.jspecify.annotations.NullMarked;
