package org.gridfarm.client.cli.gateway.s3.auth;

import org.gridfarm.client.cli.gateway.http.Request;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Signature version 4, in the header or in the address ("Authenticating requests" in the API
 * reference of S3). Nobody is let in without.
 */
public final class Signature {
    /** What is said of the body where nothing is said of its content. */
    static final String UNSIGNED = "UNSIGNED-PAYLOAD";

    private static final String ALGORITHM = "AWS4-HMAC-SHA256";
    private static final String PAYLOAD_HEADER = "x-amz-content-sha256";
    private static final Duration SKEW_MAX = Duration.ofMinutes(15);
    private static final long LIFE_SECONDS_MAX = Duration.ofDays(7).toSeconds();
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    private final Request request;
    private final Function<String, Optional<AccessKey>> keys;
    private final Instant now;

    private Signature(Request request, Function<String, Optional<AccessKey>> keys, Instant now) {
        this.request = request;
        this.keys = keys;
        this.now = now;
    }

    /** Who signed the request; refuses with the code of S3 what nobody did, or not so. */
    public static Signed verify(
            Request request, Function<String, Optional<AccessKey>> keys, Instant now) {
        return new Signature(request, keys, now).verified();
    }

    private Signed verified() {
        Optional<String> header = request.header("Authorization");
        if (header.isPresent()) return byHeader(header.get());
        if (request.parameters().has("x-amz-algorithm")) return byAddress();
        if (request.parameters().has("signature")) throw otherVersion();
        throw new S3Failure(
                S3Code.ACCESS_DENIED,
                "nobody is let in without an access key: sign the request (version 4)");
    }

    private static S3Failure otherVersion() {
        return new S3Failure(
                S3Code.INVALID_REQUEST, "signatures are of version 4 here: " + ALGORITHM);
    }

    private Signed byHeader(String header) {
        if (!header.startsWith(ALGORITHM + " ")) throw otherVersion();
        Map<String, String> parts =
                Arrays.stream(header.substring(ALGORITHM.length()).split(","))
                        .map(part -> part.strip().split("=", 2))
                        .filter(part -> part.length == 2)
                        .collect(
                                Collectors.toMap(
                                        part -> part[0], part -> part[1], (one, _) -> one));
        String time = request.header("x-amz-date").orElse("");
        Instant signedAt = time(time);
        if (Duration.between(signedAt, now).abs().compareTo(SKEW_MAX) > 0) {
            throw new S3Failure(
                    S3Code.REQUEST_TIME_TOO_SKEWED,
                    "the request was signed at "
                            + signedAt
                            + ", here it is "
                            + now
                            + ": set the clock");
        }
        String payload =
                request.header(PAYLOAD_HEADER)
                        .orElseThrow(() ->
                                new S3Failure(
                                        S3Code.INVALID_REQUEST, PAYLOAD_HEADER + " is missing"));
        return signed(
                part(parts, "Credential"),
                time,
                part(parts, "SignedHeaders"),
                part(parts, "Signature"),
                payload);
    }

    private static String part(Map<String, String> parts, String name) {
        String found = parts.get(name);
        if (found == null) {
            throw new S3Failure(S3Code.HEADER_MALFORMED, "the header Authorization has no " + name);
        }
        return found;
    }

    private Signed byAddress() {
        if (!parameter("x-amz-algorithm").equals(ALGORITHM)) throw otherVersion();
        String time = parameter("x-amz-date");
        Instant from = time(time);
        long seconds = request.parameters().number("x-amz-expires", 1, LIFE_SECONDS_MAX).orElse(0);
        if (now.isAfter(from.plusSeconds(seconds))) {
            throw new S3Failure(
                    S3Code.EXPIRED, "the address was good until " + from.plusSeconds(seconds));
        }
        if (from.isAfter(now.plus(SKEW_MAX))) {
            throw new S3Failure(
                    S3Code.REQUEST_TIME_TOO_SKEWED, "the address is good from " + from + " on");
        }
        return signed(
                parameter("x-amz-credential"),
                time,
                parameter("x-amz-signedheaders"),
                parameter("x-amz-signature"),
                request.header(PAYLOAD_HEADER).orElse(UNSIGNED));
    }

    private String parameter(String name) {
        return request.parameters()
                .text(name)
                .orElseThrow(
                        () -> new S3Failure(S3Code.HEADER_MALFORMED, "the address has no " + name));
    }

    private static Instant time(String text) {
        try {
            return Instant.from(TIME.parse(text));
        } catch (DateTimeException e) {
            throw new S3Failure(
                    S3Code.ACCESS_DENIED,
                    "x-amz-date is like 20260102T030405Z, not '" + text + "'",
                    e);
        }
    }

    private Signed signed(
            String credential, String time, String headers, String signature, String payload) {
        String[] parts = credential.split("/", -1);
        boolean whole =
                parts.length == 5
                        && parts[1].equals(time.substring(0, 8))
                        && parts[3].equals("s3")
                        && parts[4].equals("aws4_request");
        if (!whole) {
            throw new S3Failure(
                    S3Code.HEADER_MALFORMED,
                    "a credential is ACCESSKEY/DAY/REGION/s3/aws4_request, of the day of the request, not "
                            + credential);
        }
        List<String> names = List.of(headers.toLowerCase(Locale.ROOT).split(";"));
        requireSigned(names);
        AccessKey key =
                keys.apply(parts[0])
                        .orElseThrow(() ->
                                new S3Failure(
                                        S3Code.INVALID_ACCESS_KEY_ID,
                                        "there is no access key " + parts[0]));
        String scope = credential.substring(parts[0].length() + 1);
        String text =
                String.join(
                        "\n",
                        ALGORITHM,
                        time,
                        scope,
                        Hashes.sha256(CanonicalRequest.of(request, names, payload)));
        byte[] signingKey = ("AWS4" + key.secret()).getBytes(StandardCharsets.UTF_8);
        for (String word : scope.split("/")) {
            signingKey = Hashes.hmac(signingKey, word);
        }
        String expected = Hashes.hex(Hashes.hmac(signingKey, text));
        if (!Hashes.same(expected, signature)) {
            throw new S3Failure(
                    S3Code.SIGNATURE_DOES_NOT_MATCH,
                    "the request was signed with another secret key, or was changed on its way");
        }
        return new Signed(key, payload, signingKey, time, scope, signature);
    }

    /** What is not signed somebody on the way may have added. */
    private void requireSigned(List<String> names) {
        for (String name : request.head().headers().names()) {
            String lower = name.toLowerCase(Locale.ROOT);
            boolean matters =
                    lower.equals("host")
                            || lower.startsWith("x-amz-") && !lower.equals(PAYLOAD_HEADER);
            if (matters && !names.contains(lower)) {
                throw new S3Failure(
                        S3Code.ACCESS_DENIED, "the header " + lower + " was not signed");
            }
        }
    }
}
