/**
 * Compares every replica with its checksums, again and again, at a rate that leaves the disks to
 * others. What differs goes to quarantine and is reported with the next heartbeat.
 */
@NullMarked
package org.gridfarm.storagenode.scrub;

import org.jspecify.annotations.NullMarked;
