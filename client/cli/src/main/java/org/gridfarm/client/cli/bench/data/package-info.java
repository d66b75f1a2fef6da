/**
 * {@code gf bench data}: patterns of reading and writing on a mount, beside the same on the bare
 * local file system, and transfers over the network beside a plain socket.
 */
@NullMarked
package org.gridfarm.client.cli.bench.data;

import org.jspecify.annotations.NullMarked;
