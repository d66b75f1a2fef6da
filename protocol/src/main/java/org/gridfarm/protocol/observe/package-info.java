/**
 * What a running process shows: metrics, health and the request that a log line belongs to.
 *
 * <p>{@link org.gridfarm.protocol.observe.Metrics} counts, {@link
 * org.gridfarm.protocol.observe.Health} judges, {@link org.gridfarm.protocol.observe.HttpEndpoint}
 * serves both to Prometheus, systemd and people with curl. How a log line looks is said in the
 * installation's {@code logback.xml}; this package only sets its level.
 */
@NullMarked
package org.gridfarm.protocol.observe;

import org.jspecify.annotations.NullMarked;
