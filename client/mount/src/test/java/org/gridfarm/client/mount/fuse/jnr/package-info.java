@NullMarked
package org.gridfarm.client.mount.fuse.jnr;

import org.jspecify.annotations.NullMarked;
