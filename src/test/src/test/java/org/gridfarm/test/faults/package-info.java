/**
 * Faults of storage nodes under load: processes killed and stopped, connections cut, disks filled,
 * bits flipped; nodes that are emptied, fill up and go. An oracle knows every byte that a close or
 * fsync acknowledged. Seeds are printed and replay with {@code -Dgf.seed}; {@code -Dgf.faults} says
 * how many faults.
 */
@NullMarked
package org.gridfarm.test.faults;

import org.jspecify.annotations.NullMarked;
