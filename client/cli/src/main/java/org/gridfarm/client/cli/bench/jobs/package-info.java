/**
 * {@code gf bench jobs}: what the scheduler and the nodes add to tasks, by tasks that do nothing,
 * and how many of those that read something run where it lies.
 */
@NullMarked
package org.gridfarm.client.cli.bench.jobs;

import org.jspecify.annotations.NullMarked;
