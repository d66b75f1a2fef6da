package org.gridfarm.client.cli.doctor;

import java.util.Map;

/**
 * What one look found.
 *
 * @param subject what was looked at: java, fuse, metaserver 10.0.0.1:6001, ...
 * @param cure what to do; empty where nothing need be done
 */
public record Finding(String subject, Verdict verdict, String text, String cure) {
    /** How bad it is; a warning costs speed or comfort, not function. */
    public enum Verdict {
        GOOD,
        WARNING,
        BAD
    }

    static Finding good(String subject, String text) {
        return new Finding(subject, Verdict.GOOD, text, "");
    }

    static Finding warning(String subject, String text, String cure) {
        return new Finding(subject, Verdict.WARNING, text, cure);
    }

    static Finding bad(String subject, String text, String cure) {
        return new Finding(subject, Verdict.BAD, text, cure);
    }

    public Map<String, Object> toMap() {
        return Map.of(
                "subject",
                subject,
                "verdict",
                verdict.name().toLowerCase(java.util.Locale.ROOT),
                "text",
                text,
                "cure",
                cure);
    }
}
