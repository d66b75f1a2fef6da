package org.gridfarm.metaserver.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.OctetSequenceKey;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;

import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.LogIns;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.Signature;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** Tokens that somebody has made with care to be believed. */
class TokenJudgeTest {
    private static final String ISSUER = "https://tokens.example";
    private static final String AUDIENCE = "farm.example";
    private static final RSAKey RSA = rsaKey();
    private static final ECKey EC = ecKey();
    private static final RSAKey FOREIGN = rsaKey();

    private final SimClock clock = new SimClock();
    private final AtomicReference<IssuerKeys> keys =
            new AtomicReference<>(keys(List.of(RSA.toPublicJWK(), EC.toPublicJWK())));
    private final AtomicReference<GridMap> map =
            new AtomicReference<>(GridMap.parse("\"" + ISSUER + " 4f1c\" alice", "map"));
    private final TokenJudge judge =
            new TokenJudge(
                    List.of(
                            new KnownIssuer(
                                    new TokenIssuer(
                                            ISSUER, AUDIENCE, Path.of("unused"), List.of("vo")),
                                    keys::get)),
                    map::get,
                    clock);

    private static RSAKey rsaKey() {
        try {
            return new RSAKeyGenerator(2048).keyID("r").generate();
        } catch (JOSEException e) {
            throw new AssertionError(e);
        }
    }

    private static ECKey ecKey() {
        try {
            return new ECKeyGenerator(Curve.P_256).keyID("e").generate();
        } catch (JOSEException e) {
            throw new AssertionError(e);
        }
    }

    private static IssuerKeys keys(List<com.nimbusds.jose.jwk.JWK> all) {
        return IssuerKeys.of(new JWKSet(all), "test");
    }

    private JWTClaimsSet.Builder claims() {
        Instant now = clock.now();
        return new JWTClaimsSet.Builder()
                .issuer(ISSUER)
                .audience(AUDIENCE)
                .subject("4f1c")
                .issueTime(Date.from(now))
                .notBeforeTime(Date.from(now))
                .expirationTime(Date.from(now.plus(Duration.ofHours(1))))
                .jwtID("1")
                .claim("wlcg.ver", "1.0")
                .claim("scope", "openid storage.read:/data");
    }

    private static String signed(JWSHeader header, JWTClaimsSet claims, JWSSigner signer)
            throws JOSEException {
        SignedJWT token = new SignedJWT(header, claims);
        token.sign(signer);
        return token.serialize();
    }

    private static JWSHeader.Builder rs256() {
        return new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("r").type(JOSEObjectType.JWT);
    }

    private String good(JWTClaimsSet.Builder claims) throws JOSEException {
        return signed(rs256().build(), claims.build(), new RSASSASigner(RSA));
    }

    /** A payload that no library would write. */
    private static String raw(String header, String payload) throws Exception {
        String body = base64(header) + "." + base64(payload);
        Signature signature = Signature.getInstance("SHA256withRSA");
        signature.initSign(RSA.toPrivateKey());
        signature.update(body.getBytes(StandardCharsets.US_ASCII));
        return body + "." + Base64URL.encode(signature.sign());
    }

    private static String base64(String text) {
        return Base64URL.encode(text.getBytes(StandardCharsets.UTF_8)).toString();
    }

    private void refused(String token, String why) {
        assertThatThrownBy(() -> judge.judge(token))
                .as(why)
                .isInstanceOfSatisfying(
                        FarmException.class,
                        e -> {
                            assertThat(e.kind()).isEqualTo(ErrorKind.NOT_AUTHENTICATED);
                            assertThat(e.getMessage()).contains(why);
                            for (String part : token.split("\\.")) {
                                if (part.length() > 8) {
                                    assertThat(e.toString()).doesNotContain(part);
                                }
                            }
                            assertThat(e.getCause()).as("whose message may show it").isNull();
                        });
    }

    @Test
    void oneOfEitherKindIsWhomTheMapNamesWithinItsScopes() throws JOSEException {
        Identity who = judge.judge(good(claims())).identity();
        assertThat(who.user()).isEqualTo("alice");
        assertThat(who.role()).isEqualTo(Role.USER);
        assertThat(who.limited()).isTrue();
        assertThat(who.scopes().orElseThrow()).hasToString("storage.read:/vo/data");
        String byEc =
                signed(
                        new JWSHeader.Builder(JWSAlgorithm.ES256).keyID("e").build(),
                        claims().build(),
                        new ECDSASigner(EC));
        assertThat(judge.judge(byEc).identity()).isEqualTo(who);
        String nameless =
                signed(new JWSHeader(JWSAlgorithm.RS256), claims().build(), new RSASSASigner(RSA));
        assertThat(judge.judge(nameless).identity()).isEqualTo(who);
    }

    @Test
    void signaturesThatProveNothing() throws Exception {
        JWTClaimsSet claims = claims().build();
        refused(base64("{\"alg\":\"none\"}") + "." + base64(claims.toString()) + ".", "no signed");
        refused(
                base64("{\"alg\":\"none\"}") + "." + base64(claims.toString()) + ".AA",
                "no signed");
        refused(
                signed(
                        new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("r").build(),
                        claims,
                        new MACSigner(RSA.toPublicKey().getEncoded())),
                "RS256 or ES256");
        refused(
                signed(
                        new JWSHeader.Builder(JWSAlgorithm.RS512).keyID("r").build(),
                        claims,
                        new RSASSASigner(RSA)),
                "RS256 or ES256");
        refused(signed(rs256().build(), claims, new RSASSASigner(FOREIGN)), "by its issuer");
        refused(
                signed(
                        rs256().keyID("x").jwk(FOREIGN.toPublicJWK()).build(),
                        claims,
                        new RSASSASigner(FOREIGN)),
                "unknown key");
        refused(
                signed(
                        rs256().jwkURL(java.net.URI.create("https://evil.example/k")).build(),
                        claims,
                        new RSASSASigner(FOREIGN)),
                "by its issuer");
        refused(signed(rs256().keyID("e").build(), claims, new RSASSASigner(RSA)), "unknown key");
        refused(
                signed(
                        rs256().criticalParams(Set.of("exp")).customParam("exp", 1).build(),
                        claims,
                        new RSASSASigner(RSA)),
                "by its issuer");
        String good = good(claims());
        refused(good.substring(0, good.length() - 6) + "AAAAAA", "by its issuer");
        refused(good.substring(0, good.lastIndexOf('.') + 1) + "AAAA", "by its issuer");
        String zeros = Base64URL.encode(new byte[64]).toString(); // CVE-2022-21449
        refused(
                base64("{\"alg\":\"ES256\",\"kid\":\"e\"}")
                        + "."
                        + base64(claims.toString())
                        + "."
                        + zeros,
                "by its issuer");
    }

    @Test
    void claimsOfOthersAndOfOtherTimes() throws JOSEException {
        Instant now = clock.now();
        refused(good(claims().issuer("https://tokens.example/")), "another issuer");
        refused(good(claims().issuer(null)), "another issuer");
        refused(good(claims().audience("farm.example.evil")), "another audience");
        refused(good(claims().audience((String) null)), "another audience");
        refused(good(claims().audience("https://wlcg.cern.ch/jwt/v1/any")), "another audience");
        refused(good(claims().subject(null)), "without a subject");
        refused(good(claims().subject("4f1c ")), "grid-mapfile");
        refused(good(claims().subject("mallory")), "grid-mapfile");
        refused(good(claims().expirationTime(null)), "without exp");
        refused(good(claims().issueTime(null)), "without exp or iat");
        refused(good(claims().expirationTime(Date.from(now.minus(TokenJudge.SKEW)))), "expired");
        refused(good(claims().notBeforeTime(Date.from(now.plusSeconds(61)))), "not yet");
        refused(good(claims().issueTime(Date.from(now.plusSeconds(61)))), "not yet");
        refused(good(claims().claim("scope", null)), "without a scope");
        refused(good(claims().claim("scope", List.of("storage.read:/"))), "without a scope");
        refused(good(claims().claim("scope", "openid")), "no storage scope");
        judge.judge(good(claims().audience(List.of("else", AUDIENCE))));
        judge.judge(good(claims().notBeforeTime(Date.from(now.plusSeconds(59)))));
    }

    @Test
    void whatIsNoTokenAtAll() throws Exception {
        refused("", "no signed");
        refused("a.b", "no signed");
        refused("a.b.c.d.e", "no signed");
        refused("\u0000.\u0000.\u0000", "no signed");
        refused("x".repeat(TokenJudge.CHARS_MAX + 1), "longer");
        refused(good(claims().claim("padding", "x".repeat(TokenJudge.CHARS_MAX))), "longer");
        refused(raw("{\"alg\":\"RS256\",\"typ\":\"logout+jwt\"}", "{}"), "no access token");
        refused(raw("{\"alg\":\"RS256\"}", "[1]"), "unreadable claims");
        refused(raw("{\"alg\":\"RS256\"}", "{\"exp\":\"soon\"}"), "unreadable claims");
        refused(raw("{\"alg\":\"RS256\"}", "[".repeat(5000)), "unreadable claims");
        refused("e30." + base64("[".repeat(12_000)) + ".AA", "no signed");
        refused(
                base64("{\"alg\":\"RS256\"}") + "." + base64("{\"a\":".repeat(2000)) + ".AA",
                "unreadable claims");
        String payload = claims().build().toString();
        for (String twice :
                List.of(
                        "{\"sub\":\"mallory\"," + payload.substring(1),
                        payload.substring(0, payload.length() - 1) + ",\"sub\":\"4f1c\"}",
                        payload.substring(0, payload.length() - 1)
                                + ",\"scope\":\"storage.modify:/\"}")) {
            refused(raw("{\"alg\":\"RS256\"}", twice), "unreadable claims");
        }
        refused(raw("{\"alg\":\"RS256\",\"alg\":\"RS256\"}", payload), "no signed");
    }

    @Test
    void itStandsUntilItEndsOrItsKeyOrLineGoes() throws JOSEException {
        String token = good(claims());
        LogIns.Standing standing = judge.judge(token);
        Supplier<Boolean> stands = standing::stands;
        assertThat(stands.get()).isTrue();
        keys.set(keys(List.of(EC.toPublicJWK())));
        assertThat(stands.get()).isFalse();
        keys.set(keys(List.of(RSA.toPublicJWK())));
        assertThat(stands.get()).isTrue();
        map.set(GridMap.parse("\"" + ISSUER + " 4f1c\" bob", "map"));
        assertThat(stands.get()).isFalse();
        map.set(GridMap.parse("\"" + ISSUER + " 4f1c\" alice", "map"));
        clock.advance(Duration.ofHours(1).plus(TokenJudge.SKEW));
        assertThat(stands.get()).isFalse();
    }

    @Test
    void keysThatAreNoneForThis() throws JOSEException {
        for (List<com.nimbusds.jose.jwk.JWK> useless :
                List.<List<com.nimbusds.jose.jwk.JWK>>of(
                        List.of(),
                        List.of(RSA), // with its secret half
                        List.of(new OctetSequenceKey.Builder(new byte[32]).build()),
                        List.of(new ECKeyGenerator(Curve.P_521).generate().toPublicJWK()),
                        List.of(new RSAKeyGenerator(1024, true).generate().toPublicJWK()))) {
            assertThatThrownBy(() -> keys(useless))
                    .isInstanceOfSatisfying(
                            FarmException.class,
                            e -> assertThat(e.kind()).isEqualTo(ErrorKind.BAD_CONFIGURATION));
        }
    }
}
