package org.gridfarm.client.cli.command;

import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** What commands for administrators share: calls that carry JSON, and asking again and again. */
final class Administration {
    private static final Duration ASK_EVERY = Duration.ofMillis(500);

    private Administration() {}

    static JsonNode ask(Gridfarm farm, String command, Map<String, String> arguments) {
        String json =
                farm.callLeader(MetadataMethods.ADMIN, AdminCalls.request(command, arguments))
                        .getJson();
        return JsonMapper.builder().build().readTree(json);
    }

    /** Lets a moment pass before the farm is asked again. */
    static void pause() {
        LockSupport.parkNanos(ASK_EVERY.toNanos());
        if (Thread.currentThread().isInterrupted()) {
            throw new FarmException(ErrorKind.INTERRUPTED, "wait", "");
        }
    }

    /** On a terminal only. */
    static void progress(String line) {
        if (System.console() != null) {
            System.err.println("gf: " + line);
        }
    }

    /** "about 90 s"; empty when it is not known. */
    static String about(double seconds) {
        if (seconds < 0) {
            return "";
        }
        long whole = Math.max(1, Math.round(seconds));
        return whole < 120
                ? ", about " + whole + " s"
                : ", about " + Math.round(whole / 60.0) + " min";
    }

    /** A size as people write it. */
    static long bytes(String text) {
        try {
            return org.gridfarm.protocol.config.Units.bytes(text);
        } catch (IllegalArgumentException e) {
            throw new FarmException(
                    ErrorKind.USAGE, "size", text, String.valueOf(e.getMessage()), e);
        }
    }
}
