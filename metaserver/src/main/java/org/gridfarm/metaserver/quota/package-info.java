/**
 * Quotas of users, groups and directory trees: bytes, bytes of all copies, inodes; hard limits, and
 * soft ones that may be exceeded for a time of grace. Usage is counted as changes are applied, so
 * it is right in every process; limits are checked where changes are decided. Owned by the event
 * thread; pure.
 */
@NullMarked
package org.gridfarm.metaserver.quota;

import org.jspecify.annotations.NullMarked;
