package org.gridfarm.protocol.rpc;

import org.gridfarm.protocol.error.FarmException;

import java.time.Duration;
import java.util.Optional;

/**
 * Decides for one {@link RoutedCall} where it goes and, after a failure, whether and when it goes
 * on.
 */
interface Route {
    /** How long an attempt may wait for a connection before another way is tried. */
    Duration connectPatience();

    /** Where the next attempt goes. */
    Line next();

    /**
     * The wait before the next attempt, or nothing if the call has failed for good.
     *
     * @param sent whether the request may have reached the server
     */
    Optional<Duration> afterFailure(Line asked, FarmException failure, boolean sent, Retry retry);

    /** One attempt, on one line. */
    static Route to(Line line) {
        return new Route() {
            @Override
            public Duration connectPatience() {
                return RpcLimits.DEADLINE_DEFAULT;
            }

            @Override
            public Line next() {
                return line;
            }

            @Override
            public Optional<Duration> afterFailure(
                    Line asked, FarmException failure, boolean sent, Retry retry) {
                return Optional.empty();
            }
        };
    }
}
