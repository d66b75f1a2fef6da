/**
 * What every call of the metaserver stands on: the farm in memory ({@link FarmState}), the event
 * thread that owns it, what a service may ask of the leader ({@link LeaderContext}), batches that
 * are not durable yet, who calls and what he may see, tickets, limits and settings.
 *
 * <p>Knows none of the services. All of it is used on the event thread only, unless a class says
 * otherwise.
 */
@NullMarked
package org.gridfarm.metaserver.server.state;

import org.jspecify.annotations.NullMarked;
