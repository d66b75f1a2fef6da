package org.gridfarm.client.cli.cluster;

import org.gridfarm.client.cli.authority.MapFile;
import org.gridfarm.protocol.auth.x509.Pem;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.UUID;

/**
 * The issuer of bearer tokens of a farm on one machine, for trying them: its key lies beside that
 * of the farm's authority. The servers know its public half alone.
 */
public final class TrialIssuer {
    static final String NAME = "https://tokens.localhost";
    static final String AUDIENCE = "gridfarm";
    private static final String KEY_ID = "trial";
    private static final int COORDINATE_BYTES = 32;

    private final Path pki;

    private TrialIssuer(Path pki) {
        this.pki = pki;
    }

    /** Of the farm in that directory, which was made before. */
    public static TrialIssuer of(Path farm) {
        return new TrialIssuer(farm.resolve("pki"));
    }

    static void create(Path pki) throws IOException {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair pair = generator.generateKeyPair();
            Pki.writeSecret(secret(pki), Pem.text(pair.getPrivate()));
            ECPublicKey open = (ECPublicKey) pair.getPublic();
            Files.writeString(
                    open(pki),
                    """
                    {"keys":[{"kty":"EC","crv":"P-256","use":"sig","alg":"ES256","kid":"%s","x":"%s","y":"%s"}]}
                    """
                            .formatted(
                                    KEY_ID,
                                    coordinate(open.getW().getAffineX()),
                                    coordinate(open.getW().getAffineY())));
        } catch (GeneralSecurityException e) {
            throw new AssertionError("every Java platform has P-256", e);
        }
    }

    private static Path secret(Path pki) {
        return pki.resolve("tokens.key");
    }

    /** What the servers read. */
    static Path open(Path pki) {
        return pki.resolve("tokens.jwks");
    }

    private static String coordinate(BigInteger value) {
        byte[] bytes = value.toByteArray(); // with a sign, or without leading zeros
        byte[] fixed = new byte[COORDINATE_BYTES];
        int count = Math.min(bytes.length, COORDINATE_BYTES);
        System.arraycopy(bytes, bytes.length - count, fixed, COORDINATE_BYTES - count, count);
        return base64(fixed);
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static String base64(String text) {
        return base64(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * A token for an account, which the farm's grid-mapfile names from now on.
     *
     * @param scope as in {@code storage.read:/}
     */
    public String token(String account, String scope, Duration life) {
        if (!(account + scope).matches("[ !#-\\[\\]-~]*")) { // what JSON takes as it is
            throw new FarmException(
                    ErrorKind.USAGE, "make token", account, "not a name and a scope");
        }
        MapFile.add(pki.resolve("grid-mapfile"), NAME + " " + account, account);
        Instant now = Instant.now();
        String claims =
                """
                {"iss":"%s","sub":"%s","aud":"%s","scope":"%s","iat":%d,"nbf":%d,"exp":%d,"jti":"%s","wlcg.ver":"1.0"}\
                """
                        .formatted(
                                NAME,
                                account,
                                AUDIENCE,
                                scope,
                                now.getEpochSecond(),
                                now.getEpochSecond(),
                                now.plus(life).getEpochSecond(),
                                UUID.randomUUID());
        String body =
                base64("{\"alg\":\"ES256\",\"typ\":\"JWT\",\"kid\":\"" + KEY_ID + "\"}")
                        + "."
                        + base64(claims);
        try {
            PrivateKey key =
                    Pem.privateKey(Files.readString(secret(pki), StandardCharsets.US_ASCII))
                            .orElseThrow();
            Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
            signature.initSign(key);
            signature.update(body.getBytes(StandardCharsets.US_ASCII));
            return body + "." + base64(signature.sign());
        } catch (GeneralSecurityException | IOException e) {
            throw new FarmException(
                    ErrorKind.BAD_CONFIGURATION,
                    "make token",
                    secret(pki).toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }
}
