package org.gridfarm.protocol.config;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations and sizes as people write them. */
public final class Units {
    private static final Pattern DURATION = Pattern.compile("(\\d+) ?(ms|s|m|h|d)");
    private static final Pattern BYTES = Pattern.compile("(\\d+(?:\\.\\d+)?) ?([KMGTP]?)(?:i?B)?");

    private Units() {}

    /**
     * @throws IllegalArgumentException with a sentence for the user
     */
    public static Duration duration(String text) {
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches())
            throw new IllegalArgumentException(
                    "'" + text + "' is not a time such as 500ms, 2s, 10m, 12h or 7d");
        try {
            long number = Long.parseLong(matcher.group(1));
            return switch (matcher.group(2)) {
                case "ms" -> Duration.ofMillis(number);
                case "s" -> Duration.ofSeconds(number);
                case "m" -> Duration.ofMinutes(number);
                case "h" -> Duration.ofHours(number);
                default -> Duration.ofDays(number);
            };
        } catch (NumberFormatException | ArithmeticException e) {
            throw new IllegalArgumentException("'" + text + "' is too long a time", e);
        }
    }

    /** Units are powers of 1024. @throws IllegalArgumentException with a sentence for the user */
    public static long bytes(String text) {
        Matcher matcher = BYTES.matcher(text);
        if (!matcher.matches())
            throw new IllegalArgumentException(
                    "'" + text + "' is not a size such as 4096, 64K, 16M, 1.5G or 2T");
        int power = " KMGTP".indexOf(matcher.group(2).isEmpty() ? " " : matcher.group(2));
        BigDecimal bytes =
                new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(1L << (10 * power)));
        if (bytes.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0)
            throw new IllegalArgumentException("'" + text + "' is too large a size");
        return bytes.longValue();
    }
}
