/**
 * {@code gf bench mount}: the same work on a mount and on the local disk. {@link
 * org.gridfarm.client.cli.bench.mount.MountBench} leads through it, the {@code Shapes} do it,
 * {@link org.gridfarm.client.cli.bench.mount.Verdict} knows the aims. Knows nothing of the farm but
 * its mounts.
 */
@NullMarked
package org.gridfarm.client.cli.bench.mount;

import org.jspecify.annotations.NullMarked;
