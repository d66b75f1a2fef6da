/// The portable engine: the same operations through libfuse 2 and jnr-fuse, where the Linux engine
/// cannot run.
///
/// Path-based below: every call walks its path by lookups. The kernel is told to cache no names and
/// attributes, since it cannot be told later to forget them; there is no passthrough, no
/// invalidation, no interrupt, and names must be UTF-8.
@NullMarked
package org.gridfarm.client.mount.fuse.jnr;

import org.jspecify.annotations.NullMarked;
