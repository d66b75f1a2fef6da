package org.gridfarm.client.core.session;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** What is waited for, for so long. */
public final class TimeLimit {
    private TimeLimit() {}

    /**
     * The same outcome, or TIMED_OUT when it has not come by then; what is waited for goes on.
     *
     * @param why for the message
     */
    public static CompletableFuture<Void> on(
            CompletableFuture<Void> awaited,
            Clock clock,
            Duration limit,
            String operation,
            String why) {
        CompletableFuture<Void> within = new CompletableFuture<>();
        Clock.Timer timer =
                clock.after(
                        limit,
                        () ->
                                within.completeExceptionally(
                                        new FarmException(
                                                ErrorKind.TIMED_OUT, operation, "", why)));
        awaited.whenComplete((done, thrown) -> {
            timer.cancel();
            if (thrown == null) {
                within.complete(null);
            } else {
                within.completeExceptionally(thrown);
            }
        });
        return within;
    }
}
