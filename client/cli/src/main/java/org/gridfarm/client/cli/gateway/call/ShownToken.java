package org.gridfarm.client.cli.gateway.call;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * A bearer token of the farm as somebody has shown it, judged by nobody yet. Its text is for a
 * metaserver alone: nothing that is printed has it, and tokens are compared by their SHA-256.
 */
public final class ShownToken {
    private final String text;
    private final byte[] digest;

    public ShownToken(String text) {
        this.text = text;
        try {
            digest =
                    MessageDigest.getInstance("SHA-256")
                            .digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    /** For the metaserver. */
    public String text() {
        return text;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ShownToken token && MessageDigest.isEqual(digest, token.digest);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(digest);
    }

    @Override
    public String toString() {
        return "a token";
    }
}
