/**
 * The scheduler at work: one event thread owns all jobs ({@link
 * org.gridfarm.scheduler.server.Dispatcher}), a recorder thread writes what changed in groups
 * ({@link org.gridfarm.scheduler.server.Recorder}), and the calls of clients are answered from
 * memory after what they tell is durable.
 */
@NullMarked
package org.gridfarm.scheduler.server;

import org.jspecify.annotations.NullMarked;
