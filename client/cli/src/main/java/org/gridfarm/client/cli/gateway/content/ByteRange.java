package org.gridfarm.client.cli.gateway.content;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Bytes of a file that a client asks for (RFC 9110, section 14): one range. Several at once are
 * answered with all of the file, as the rule permits.
 */
public record ByteRange(long offset, long length) {
    private static final Pattern ONE = Pattern.compile("bytes=\\s*([0-9]*)-([0-9]*)\\s*");
    private static final int DIGITS_MAX = 18;

    /**
     * Empty: the whole file.
     *
     * @throws FarmException RANGE where nothing of the file lies in it, INVALID where it is no
     *     range
     */
    public static Optional<ByteRange> of(String header, long size) {
        if (!header.startsWith("bytes="))
            return Optional.empty(); // of a unit that is not known here
        if (header.contains(",")) return Optional.empty();
        Matcher one = ONE.matcher(header);
        if (!one.matches()) throw wrong(header);
        String first = one.group(1);
        String last = one.group(2);
        if (first.isEmpty() && last.isEmpty()) throw wrong(header);
        if (first.isEmpty()) {
            long length = Math.min(number(last), size);
            return length == 0
                    ? nothing(header)
                    : Optional.of(new ByteRange(size - length, length));
        }
        long from = number(first);
        long to = last.isEmpty() ? Long.MAX_VALUE : number(last);
        if (to < from) throw wrong(header);
        if (from >= size) return nothing(header);
        return Optional.of(new ByteRange(from, Math.min(to, size - 1) - from + 1));
    }

    private static long number(String digits) {
        return digits.length() > DIGITS_MAX ? Long.MAX_VALUE : Long.parseLong(digits);
    }

    private static Optional<ByteRange> nothing(String header) {
        throw new FarmException(
                ErrorKind.RANGE, "read", header, "the file has no byte in that range");
    }

    private static FarmException wrong(String header) {
        return new FarmException(
                ErrorKind.INVALID,
                "header",
                "Range",
                "is like bytes=0-99, bytes=100- or bytes=-100, not " + header);
    }

    public String contentRange(long size) {
        return "bytes " + offset + "-" + (offset + length - 1) + "/" + size;
    }
}
