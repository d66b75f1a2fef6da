package org.gridfarm.protocol.observe;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.trace.Trace;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * The last requests that took longer than a threshold: one line of {@code key=value} each to the
 * logger {@code org.gridfarm.slow}, and kept in memory for {@code gf slow} and the console. Of many
 * in one second the rest are counted and told with the next line. Thread-safe.
 *
 * <pre>
 *   method=open ms=1840 result=ok who="/O=Grid/CN=Ann" as=ann from=10.0.0.7:40112 request=12-881 trace=4bf92f3577b34da6a3ce929d0e0e4736
 * </pre>
 */
public final class SlowRequests {
    static final Duration USUAL = Duration.ofSeconds(1);

    static final int KEPT_MAX = 256;

    private static final Logger LOG = LoggerFactory.getLogger("org.gridfarm.slow");
    private static final int LINES_A_SECOND = 10;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /**
     * One of them.
     *
     * @param ended on this host's clock
     * @param result {@code ok} or the kind of failure
     * @param who the certificate's name
     * @param request names it in this process's log
     * @param trace for which it was made, 32 digits; empty: for none
     */
    public record Slow(
            Instant ended,
            String method,
            long millis,
            String result,
            String who,
            String user,
            String from,
            String request,
            String trace) {}

    private final long thresholdNanos;
    private final Deque<Slow> kept = new ArrayDeque<>(); // guarded by this, the newest first
    private long second; // guarded by this
    private int lines; // guarded by this
    private long unsaid; // guarded by this

    /**
     * @param threshold zero: nothing is slow
     */
    public SlowRequests(Duration threshold) {
        this.thresholdNanos = threshold.isZero() ? Long.MAX_VALUE : threshold.toNanos();
    }

    long thresholdNanos() {
        return thresholdNanos;
    }

    void add(Exchange<?, ?> exchange, @Nullable ErrorKind failure, long nanos) {
        Trace trace = exchange.trace();
        Slow slow =
                new Slow(
                        Instant.now(),
                        exchange.method().name(),
                        TimeUnit.NANOSECONDS.toMillis(nanos),
                        failure == null ? "ok" : failure.name().toLowerCase(Locale.ROOT),
                        exchange.peer().identity().dn(),
                        exchange.peer().identity().user(),
                        exchange.peer().address().toString(),
                        exchange.requestId(),
                        trace == null ? "" : trace.id());
        long before = keep(slow, System.nanoTime());
        if (before < 0) return;
        LOG.warn(
                "slow request: method={} ms={} result={} who=\"{}\" as={} from={} request={}{}{}",
                slow.method(),
                slow.millis(),
                slow.result(),
                slow.who(),
                slow.user(),
                slow.from(),
                slow.request(),
                trace == null ? "" : " trace=" + trace.id(),
                before == 0 ? "" : " unsaid=" + before);
    }

    /** How many lines were left out before this one; -1: this one is, too. */
    private synchronized long keep(Slow slow, long now) {
        kept.addFirst(slow);
        if (kept.size() > KEPT_MAX) kept.removeLast();
        if (now - second >= SECOND) {
            second = now;
            lines = 0;
        }
        if (++lines > LINES_A_SECOND) {
            unsaid++;
            return -1;
        }
        long before = unsaid;
        unsaid = 0;
        return before;
    }

    /** The newest first. */
    public synchronized List<Slow> newest() {
        return new ArrayList<>(kept);
    }

    /**
     * {@code
     * {"threshold_ms":N,"slow":[{"ended","method","ms","result","who","user","from","request","trace"}]}},
     * the newest first; a threshold of 0: none is noted.
     */
    public String json() {
        StringBuilder text = new StringBuilder("{\"threshold_ms\":");
        text.append(thresholdNanos == Long.MAX_VALUE ? 0 : thresholdNanos / 1_000_000);
        text.append(",\"slow\":[");
        String comma = "";
        for (Slow slow : newest()) {
            text.append(comma)
                    .append("{\"ended\":")
                    .append(quoted(slow.ended().toString()))
                    .append(",\"method\":")
                    .append(quoted(slow.method()))
                    .append(",\"ms\":")
                    .append(slow.millis())
                    .append(",\"result\":")
                    .append(quoted(slow.result()))
                    .append(",\"who\":")
                    .append(quoted(slow.who()))
                    .append(",\"user\":")
                    .append(quoted(slow.user()))
                    .append(",\"from\":")
                    .append(quoted(slow.from()))
                    .append(",\"request\":")
                    .append(quoted(slow.request()))
                    .append(",\"trace\":")
                    .append(quoted(slow.trace()))
                    .append('}');
            comma = ",";
        }
        return text.append("]}").toString();
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') quoted.append('\\').append(c);
            else if (c < ' ' || Character.isSurrogate(c))
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            else quoted.append(c);
        }
        return quoted.append('"').toString();
    }
}
