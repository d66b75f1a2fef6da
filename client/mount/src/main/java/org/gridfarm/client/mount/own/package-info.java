/**
 * Directories that the mount decides about by itself: its answers are the farm's, and the
 * metaserver is told of them a moment later. What is not told yet stands in a file that outlives
 * the process.
 */
@NullMarked
package org.gridfarm.client.mount.own;

import org.jspecify.annotations.NullMarked;
