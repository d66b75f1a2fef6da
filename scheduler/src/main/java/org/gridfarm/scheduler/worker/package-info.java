/**
 * The farm as the scheduler meets it: which nodes are up and what they hold ({@link
 * org.gridfarm.scheduler.worker.Farm}), and the running of one attempt on one node ({@link
 * org.gridfarm.scheduler.worker.Runner}). Both answer later and never block the caller. Reads no
 * file data.
 */
@NullMarked
package org.gridfarm.scheduler.worker;

import org.jspecify.annotations.NullMarked;
