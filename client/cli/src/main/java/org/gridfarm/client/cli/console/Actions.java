package org.gridfarm.client.cli.console;

import org.gridfarm.client.cli.health.Muted;
import org.gridfarm.protocol.api.SchedulerMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.CancelJobRequest;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * The few things that the console may change, each after a confirmation: hold balance or let it go
 * on, mute a health code, cancel a job of its own user. None loses data.
 */
final class Actions {
    private static final Duration MUTED_FOR = Duration.ofDays(7);

    private final Feed feed;
    private final Muted muted;

    Actions(Feed feed, Muted muted) {
        this.feed = feed;
        this.muted = muted;
    }

    /** What is asked before it is done; USAGE for what is none of them. */
    String question(String act, String what) {
        return switch (act) {
            case "balance" ->
                    what.equals("pause")
                            ? "Pause balance? Nothing more is moved until it is resumed."
                            : "Resume balance?";
            case "mute" ->
                    "Mute "
                            + Muted.code(what)
                            + " on this machine for a week? The farm stays as it is.";
            case "unmute" -> "Say " + Muted.code(what) + " again?";
            case "cancel" ->
                    "Cancel job "
                            + job(what)
                            + "? Its tasks that run are ended, those that wait do not start.";
            default -> throw unknown(act);
        };
    }

    /** Where to go back to. */
    static String page(String act, String what) {
        return switch (act) {
            case "balance" -> "/nodes";
            case "cancel" -> "/job?id=" + job(what);
            default -> "/health";
        };
    }

    /** Does it, or says why not. */
    void perform(String act, String what) {
        Instant now = Instant.now();
        switch (act) {
            case "balance" -> {
                if (!what.equals("pause") && !what.equals("resume")) throw unknown(what);
                feed.administer("balance", Map.of("action", what));
            }
            case "mute" -> muted.mute(Muted.code(what), now.plus(MUTED_FOR), now);
            case "unmute" -> muted.unmute(Muted.code(what), now);
            case "cancel" -> cancel(job(what));
            default -> throw unknown(act);
        }
        feed.forget();
    }

    private void cancel(long job) {
        String owner = feed.job(job).job().getUser();
        if (!owner.equals(feed.user())) {
            throw new FarmException(
                    ErrorKind.NOT_PERMITTED,
                    "cancel",
                    "job " + job,
                    "it is " + owner + "'s; the console cancels jobs of " + feed.user() + " only");
        }
        feed.schedule(SchedulerMethods.CANCEL, CancelJobRequest.newBuilder().setJob(job).build());
    }

    private static long job(String what) {
        if (!what.matches("[0-9]{1,18}")) throw unknown(what);
        return Long.parseLong(what);
    }

    private static FarmException unknown(String what) {
        return new FarmException(
                ErrorKind.USAGE, "console", what, "the console has no such action");
    }
}
