package org.gridfarm.metaserver.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;

import org.gridfarm.campaign.Changed;
import org.gridfarm.campaign.Tier;
import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.Scopes;
import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Tokens that the issuer has not made, and scopes that he might have. */
class TokenJazzerTest {
    private static final TokenJudge JUDGE;
    private static final byte[] SEED;

    static {
        try {
            ECKey key = new ECKeyGenerator(Curve.P_256).keyID("e").generate();
            ECKey other = new ECKeyGenerator(Curve.P_256).keyID("e").generate();
            IssuerKeys keys = IssuerKeys.of(new JWKSet(key.toPublicJWK()), "test");
            GridMap map = GridMap.parse("\"https://tokens.example s\" ann", "map");
            JUDGE =
                    new TokenJudge(
                            List.of(
                                    new KnownIssuer(
                                            new TokenIssuer(
                                                    "https://tokens.example",
                                                    "farm",
                                                    Path.of("unused"),
                                                    List.of()),
                                            () -> keys)),
                            () -> map,
                            new SimClock());
            SignedJWT forged =
                    new SignedJWT(
                            new JWSHeader.Builder(JWSAlgorithm.ES256).keyID("e").build(),
                            new JWTClaimsSet.Builder()
                                    .issuer("https://tokens.example")
                                    .audience("farm")
                                    .subject("s")
                                    .claim("scope", "storage.read:/")
                                    .build());
            forged.sign(new ECDSASigner(other));
            SEED = forged.serialize().getBytes(StandardCharsets.US_ASCII);
        } catch (JOSEException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static Stream<byte[]> tokens() {
        return Stream.of(SEED);
    }

    @MethodSource("tokens")
    @FuzzTest(maxDuration = "1m")
    void tokens(byte[] token) {
        try {
            JUDGE.judge(new String(token, StandardCharsets.ISO_8859_1));
            fail("nobody has signed that");
        } catch (FarmException e) {
            assertThat(e.kind()).isEqualTo(ErrorKind.NOT_AUTHENTICATED);
        }
    }

    static Stream<byte[]> scopes() {
        return Stream.of(
                "openid storage.read:/a/b storage.modify:/c".getBytes(StandardCharsets.UTF_8));
    }

    @MethodSource("scopes")
    @FuzzTest(maxDuration = "1m")
    void scopes(byte[] claim) {
        try {
            Scopes read = Scopes.parse(new String(claim, StandardCharsets.UTF_8), List.of("vo"));
            assertThat(Scopes.parse(read.toString(), List.of())).isEqualTo(read);
            for (Scopes.Scope scope : read.all()) {
                assertThat(scope.path()).startsWith("vo").doesNotContain("..", ".", "");
            }
        } catch (FarmException e) {
            assertThat(e.kind()).isEqualTo(ErrorKind.NOT_AUTHENTICATED);
        }
    }

    @Test
    void seedsThatWereChanged() {
        Random random = new Random(Tier.seed(20261127L));
        byte[] claim = scopes().findFirst().orElseThrow();
        for (int i = 0; i < Tier.count("decoders"); i++) {
            tokens(Changed.of(SEED, random));
            scopes(Changed.of(claim, random));
        }
    }
}
