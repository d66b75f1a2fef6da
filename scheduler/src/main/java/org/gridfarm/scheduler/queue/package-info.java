/**
 * Jobs and tasks in PostgreSQL, the only room of the scheduler that speaks SQL. Every write checks
 * the epoch of the leader, so a deposed scheduler records nothing. Calls block; they are made by
 * the recorder thread and at start only.
 */
@NullMarked
package org.gridfarm.scheduler.queue;

import org.jspecify.annotations.NullMarked;
