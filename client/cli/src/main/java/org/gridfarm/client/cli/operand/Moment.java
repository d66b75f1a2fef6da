package org.gridfarm.client.cli.operand;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.function.Function;

/** A moment as people write it. Without an offset it is one of the local time zone. */
public final class Moment {
    private static final List<Function<String, Instant>> FORMS =
            List.of(
                    text -> OffsetDateTime.parse(text).toInstant(),
                    text -> LocalDateTime.parse(text).atZone(ZoneId.systemDefault()).toInstant(),
                    text -> LocalDate.parse(text).atStartOfDay(ZoneId.systemDefault()).toInstant());

    private Moment() {}

    /** {@code 2026-01-31}, {@code 2026-01-31 12:00}, with an offset or Z, or {@code @SECONDS}. */
    public static Instant of(String text) {
        if (text.matches("@-?[0-9]{1,12}")) {
            return Instant.ofEpochSecond(Long.parseLong(text.substring(1)));
        }
        String iso = text.trim().replaceFirst("(?<=[0-9]) +(?=[0-9])", "T");
        DateTimeException last = null;
        for (Function<String, Instant> form : FORMS) {
            try {
                return form.apply(iso);
            } catch (DateTimeParseException e) {
                last = e;
            }
        }
        throw new FarmException(
                ErrorKind.USAGE,
                "time",
                text,
                "times are like 2026-01-31, '2026-01-31 12:00', 2026-01-31T12:00:00Z or @1767225600",
                last);
    }
}
