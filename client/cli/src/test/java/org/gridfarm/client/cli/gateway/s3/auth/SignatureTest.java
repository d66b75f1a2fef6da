package org.gridfarm.client.cli.gateway.s3.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.client.cli.gateway.http.Request;
import org.gridfarm.client.cli.gateway.http.Requests;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/**
 * The examples of the API reference of S3 ("Signature calculations"), and what differs from them.
 */
class SignatureTest {
    private static final AccessKey KEY =
            new AccessKey(
                    "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "ann");
    private static final Instant THEN = Instant.parse("2013-05-24T00:00:00Z");
    private static final String CREDENTIAL =
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,";
    private static final String EMPTY =
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    private static final String SEED =
            "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9";

    private static Signed verified(Request request, Instant now) {
        return Signature.verify(
                request, id -> Optional.of(KEY).filter(key -> key.id().equals(id)), now);
    }

    private static Map<String, String> ranged() {
        return new HashMap<>(
                Map.of(
                        "Host",
                        "examplebucket.s3.amazonaws.com",
                        "Range",
                        "bytes=0-9",
                        "x-amz-content-sha256",
                        EMPTY,
                        "x-amz-date",
                        "20130524T000000Z",
                        "Authorization",
                        CREDENTIAL
                                + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
                                + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"));
    }

    private static Request get(String address, Map<String, String> headers) {
        return Requests.of("GET", address, headers, new byte[0]);
    }

    private static void refused(S3Code code, Request request, Instant now) {
        assertThatThrownBy(() -> verified(request, now))
                .isInstanceOfSatisfying(S3Failure.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void aRequestThatIsSignedIsOfTheOwnerOfTheKey() {
        assertThat(verified(get("/test.txt", ranged()), THEN).key().account()).isEqualTo("ann");
    }

    @Test
    void theListingOfTheReferenceIsSignedSo() {
        Map<String, String> headers = ranged();
        headers.remove("Range");
        headers.put(
                "Authorization",
                CREDENTIAL
                        + "SignedHeaders=host;x-amz-content-sha256;x-amz-date,"
                        + "Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
        assertThat(verified(get("/?max-keys=2&prefix=J", headers), THEN).key()).isEqualTo(KEY);
    }

    @Test
    void soIsItsAddressForADay() {
        String address =
                "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
                        + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                        + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
                        + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404";
        Map<String, String> host = Map.of("Host", "examplebucket.s3.amazonaws.com");
        assertThat(verified(get(address, host), THEN.plusSeconds(86_000)).key()).isEqualTo(KEY);
        refused(S3Code.EXPIRED, get(address, host), THEN.plusSeconds(86_401));
        refused(S3Code.REQUEST_TIME_TOO_SKEWED, get(address, host), THEN.minusSeconds(3_600));
        refused(S3Code.SIGNATURE_DOES_NOT_MATCH, get(address + "&x=y", host), THEN);
    }

    @ParameterizedTest
    @CsvSource({
        "SIGNATURE_DOES_NOT_MATCH, range, bytes=0-8",
        "SIGNATURE_DOES_NOT_MATCH, host, other.example.org",
        "ACCESS_DENIED, x-amz-acl, public-read",
        "ACCESS_DENIED, x-amz-date, yesterday",
        "INVALID_REQUEST, authorization, AWS AKIAIOSFODNN7EXAMPLE:x",
        "HEADER_MALFORMED, authorization, AWS4-HMAC-SHA256 nonsense",
    })
    void oneThatIsChangedIsNobodys(S3Code code, String header, String value) {
        Map<String, String> headers = ranged();
        headers.keySet().removeIf(header::equalsIgnoreCase);
        headers.put(header, value);
        refused(code, get("/test.txt", headers), THEN);
    }

    @Test
    void norIsOneOfAnotherTimeOrPathOrWithoutAKey() {
        refused(
                S3Code.REQUEST_TIME_TOO_SKEWED,
                get("/test.txt", ranged()),
                THEN.plusSeconds(16 * 60));
        refused(S3Code.SIGNATURE_DOES_NOT_MATCH, get("/test.tx", ranged()), THEN);
        refused(S3Code.ACCESS_DENIED, get("/test.txt", Map.of("Host", "x")), THEN);
        Map<String, String> other = ranged();
        other.computeIfPresent("Authorization", (_, text) -> text.replace("AKIA", "AKIB"));
        refused(S3Code.INVALID_ACCESS_KEY_ID, get("/test.txt", other), THEN);
    }

    // ---- bodies

    private static Signed inPieces() {
        byte[] signingKey = ("AWS4" + KEY.secret()).getBytes(StandardCharsets.UTF_8);
        for (String word : "20130524/us-east-1/s3/aws4_request".split("/")) {
            signingKey = Hashes.hmac(signingKey, word);
        }
        return new Signed(
                KEY,
                "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
                signingKey,
                "20130524T000000Z",
                "20130524/us-east-1/s3/aws4_request",
                SEED);
    }

    private static byte[] pieces(String secondSignature) {
        String text =
                "10000;chunk-signature=ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648\r\n"
                        + "a".repeat(65536)
                        + "\r\n400;chunk-signature="
                        + secondSignature
                        + "\r\n"
                        + "a".repeat(1024)
                        + "\r\n0;chunk-signature=b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9\r\n\r\n";
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] read(byte[] sent, Map<String, String> headers, Signed signed)
            throws Exception {
        Request request = Requests.of("PUT", "/b/k", headers, sent);
        try (SignedBody body = SignedBody.content(request, signed)) {
            return body.readAllBytes();
        }
    }

    @Test
    void piecesThatAreSignedArePutTogether() throws Exception {
        byte[] whole = new byte[66560];
        Arrays.fill(whole, (byte) 'a');
        byte[] sent = pieces("0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497");
        assertThat(read(sent, Map.of("x-amz-decoded-content-length", "66560"), inPieces()))
                .isEqualTo(whole);
        assertThatThrownBy(() ->
                        read(sent, Map.of("x-amz-decoded-content-length", "66561"), inPieces()))
                .hasMessageContaining("66560 bytes came");
        assertThatThrownBy(() -> read(pieces("00"), Map.of(), inPieces()))
                .hasMessageContaining("has not the signature");
        assertThatThrownBy(() -> read(Arrays.copyOf(sent, 70_000 - 4_000), Map.of(), inPieces()))
                .hasMessageContaining("the body ends");
    }

    @ParameterizedTest
    @ValueSource(strings = {"zz\r\n", "-1\r\n", "4\r\nabcde\r\n", "FFFFFFFFFF\r\n", "\r\n"})
    void piecesThatAreNoneAreRefused(String sent) {
        Signed unsigned =
                new Signed(KEY, "STREAMING-UNSIGNED-PAYLOAD-TRAILER", new byte[0], "", "", "");
        assertThatThrownBy(() -> read(sent.getBytes(StandardCharsets.US_ASCII), Map.of(), unsigned))
                .isInstanceOf(S3Failure.class);
    }

    @ParameterizedTest
    @CsvSource({
        "crc32, cbf43926",
        "crc32c, e3069283",
        "crc64nvme, ae8b14860a799888",
        "md5, 25f9e794323b453885f5181f1b624d0b",
    })
    void sumsAreThoseOfTheirCatalogues(String name, String hex) {
        Checksum sum = java.util.Objects.requireNonNull(Checksum.named(name));
        sum.update("x123456789x".getBytes(StandardCharsets.US_ASCII), 1, 9);
        assertThat(HexFormat.of().formatHex(sum.value())).isEqualTo(hex);
    }

    @Test
    void aBodyThatIsNotWhatWasSaidOfItIsRefused() throws Exception {
        byte[] sent = "123456789".getBytes(StandardCharsets.US_ASCII);
        Signed unsigned = new Signed(KEY, Signature.UNSIGNED, new byte[0], "", "", "");
        assertThat(read(sent, Map.of("x-amz-checksum-crc32", "y/Q5Jg=="), unsigned))
                .isEqualTo(sent);
        assertThatThrownBy(() -> read(sent, Map.of("x-amz-checksum-crc32", "AAAAAA=="), unsigned))
                .hasMessageContaining("y/Q5Jg==");
        assertThatThrownBy(() -> read(sent, Map.of("Content-MD5", "AAAA"), unsigned))
                .isInstanceOf(S3Failure.class);
        Signed empty = new Signed(KEY, EMPTY, new byte[0], "", "", "");
        assertThat(read(new byte[0], Map.of(), empty)).isEmpty();
        assertThatThrownBy(() -> read(sent, Map.of(), empty)).hasMessageContaining("SHA-256");
    }
}
