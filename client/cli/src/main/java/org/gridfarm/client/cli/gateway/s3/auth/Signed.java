package org.gridfarm.client.cli.gateway.s3.auth;

/**
 * Who signed a request, and what is needed to check the rest of what he sends.
 *
 * @param payload what the signature says of the body: its SHA-256, or how it is sent
 * @param signingKey of the day
 * @param time of the request, as it was signed
 */
public record Signed(
        AccessKey key,
        String payload,
        byte[] signingKey,
        String time,
        String scope,
        String signature) {
    /** The signature of what follows: a piece of the body, or its trailer. */
    String next(String algorithm, String before, String... hashes) {
        String text = String.join("\n", algorithm, time, scope, before, String.join("\n", hashes));
        return Hashes.hex(Hashes.hmac(signingKey, text));
    }
}
