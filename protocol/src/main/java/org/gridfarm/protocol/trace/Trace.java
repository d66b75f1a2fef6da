package org.gridfarm.protocol.trace;

import org.gridfarm.protocol.env.Entropy;
import org.jspecify.annotations.Nullable;

import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The {@code traceparent} of W3C's Trace Context: the trace, the caller's span, and whether
 * somebody records it. Nothing here records spans, so the caller's is handed on as it came, as the
 * standard says of who takes no part.
 *
 * <p>A thread works for the trace it has {@linkplain #enter entered}, else for that of the
 * {@linkplain #everywhere process}, else for none.
 *
 * @param high of the trace's number, as {@code low}; not both are zero
 * @param parent the caller's span, not zero
 */
public record Trace(long high, long low, long parent, int flags) {
    /** In which programs tell it to those that they start. */
    public static final String VARIABLE = "TRACEPARENT";

    private static final Pattern TEXT =
            Pattern.compile(
                    "([0-9a-f]{2})-([0-9a-f]{16})([0-9a-f]{16})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?");
    private static final int FLAGS_MAX = 0xff;
    private static final ThreadLocal<Trace> HERE = new ThreadLocal<>();
    private static final Scope NOTHING = () -> {};

    private static volatile @Nullable Trace everywhere;

    /** Closed by the thread that entered, in the opposite order. */
    public interface Scope extends AutoCloseable {
        @Override
        void close();
    }

    public Trace {
        if ((high | low) == 0 || parent == 0 || flags < 0 || flags > FLAGS_MAX) {
            throw new IllegalArgumentException("no trace");
        }
    }

    /** Empty for what is no traceparent: the standard has who is told one go on without. */
    public static Optional<Trace> parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) return Optional.empty();
        String version = parts.group(1);
        boolean hasMore = parts.group(6) != null;
        if (version.equals("ff") || (version.equals("00") && hasMore)) return Optional.empty();
        return of(
                HexFormat.fromHexDigitsToLong(parts.group(2)),
                HexFormat.fromHexDigitsToLong(parts.group(3)),
                HexFormat.fromHexDigitsToLong(parts.group(4)),
                HexFormat.fromHexDigits(parts.group(5)));
    }

    /** Empty for numbers that are none. */
    public static Optional<Trace> of(long high, long low, long parent, int flags) {
        return (high | low) == 0 || parent == 0 || flags < 0 || flags > FLAGS_MAX
                ? Optional.empty()
                : Optional.of(new Trace(high, low, parent, flags));
    }

    /** A new one, which nobody records. */
    public static Trace begin(Entropy entropy) {
        return new Trace(entropy.nextLong() | 1, entropy.nextLong(), entropy.nextLong() | 1, 0);
    }

    /** The 32 digits by which logs name it. */
    public String id() {
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(high) + hex.toHexDigits(low);
    }

    /** As a traceparent. */
    @Override
    public String toString() {
        HexFormat hex = HexFormat.of();
        return "00-" + id() + "-" + hex.toHexDigits(parent) + "-" + hex.toHexDigits((byte) flags);
    }

    /** What this thread works for. */
    public static @Nullable Trace current() {
        Trace here = HERE.get();
        return here != null ? here : everywhere;
    }

    /** All of this process works for it, but for threads that have entered another. */
    public static void everywhere(Trace trace) {
        everywhere = trace;
    }

    /** This thread works for it until the scope is closed; null: as before. */
    public static Scope enter(@Nullable Trace trace) {
        if (trace == null) return NOTHING;
        Trace before = HERE.get();
        HERE.set(trace);
        return () -> {
            if (before == null) HERE.remove();
            else HERE.set(before);
        };
    }
}
