/**
 * Jobs and their tasks as values, and the rules by which their states change. Pure: no IO, no
 * thread, no lock, no clock. Owned by the scheduler's event thread. Never knows a node's address or
 * the database.
 */
@NullMarked
package org.gridfarm.scheduler.job;

import org.jspecify.annotations.NullMarked;
