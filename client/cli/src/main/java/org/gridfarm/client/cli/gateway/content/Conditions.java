package org.gridfarm.client.cli.gateway.content;

import io.netty.handler.codec.http.HttpHeaderNames;

import org.gridfarm.client.cli.gateway.http.Request;
import org.gridfarm.client.core.FileInfo;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;

/** Under which conditions, and which part of it, a client wants a file (RFC 9110, section 13). */
public final class Conditions {
    /** Of RFC 9110, section 5.6.7. */
    private static final DateTimeFormatter HTTP_DATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    private final Request request;
    private final FileInfo found;
    private final EntityTag tag;

    public Conditions(Request request, FileInfo found) {
        this.request = request;
        this.found = found;
        tag = EntityTag.of(found);
    }

    /** What to do with the file, in the order of section 13.2.2. */
    public enum Verdict {
        WANTED,
        KNOWN,
        ANOTHER
    }

    public Verdict verdict() {
        Optional<String> match = request.header(HttpHeaderNames.IF_MATCH);
        boolean same =
                match.isPresent()
                        ? tag.isIn(match.get())
                        : isNoLaterThan(HttpHeaderNames.IF_UNMODIFIED_SINCE).orElse(true);
        if (!same) return Verdict.ANOTHER;
        Optional<String> none = request.header(HttpHeaderNames.IF_NONE_MATCH);
        boolean known =
                none.isPresent()
                        ? tag.isIn(none.get())
                        : isNoLaterThan(HttpHeaderNames.IF_MODIFIED_SINCE).orElse(false);
        return known ? Verdict.KNOWN : Verdict.WANTED;
    }

    private Optional<Boolean> isNoLaterThan(CharSequence header) {
        return request.header(header)
                .flatMap(Conditions::date)
                .map(since -> !modified().isAfter(since));
    }

    /** RANGE where no byte of the file is in it. */
    public Optional<ByteRange> range() {
        Optional<String> asked = request.header(HttpHeaderNames.RANGE);
        if (asked.isEmpty()) return Optional.empty();
        Optional<String> only = request.header(HttpHeaderNames.IF_RANGE);
        boolean same =
                only.isEmpty()
                        || only.get().equals(tag.text())
                        || date(only.get()).filter(modified()::equals).isPresent();
        return same ? ByteRange.of(asked.get(), found.size()) : Optional.empty();
    }

    private Instant modified() {
        return found.modified().truncatedTo(ChronoUnit.SECONDS);
    }

    /** As a header has it. */
    public static String httpDate(Instant time) {
        return HTTP_DATE.format(time);
    }

    /** What is no date says nothing (section 13.1.3). */
    public static Optional<Instant> date(String text) {
        try {
            return Optional.of(
                    ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant());
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
