/**
 * What this process knows of an open file: where it ends, what was not committed, which of its
 * objects exist. Does no IO; guarded by the lock of the file.
 */
@NullMarked
package org.gridfarm.client.core.transfer.known;

import org.jspecify.annotations.NullMarked;
