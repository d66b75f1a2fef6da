package org.gridfarm.metaserver.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.config.Config;
import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.LogIns;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Date;
import java.util.List;
import java.util.Optional;

/** Two issuers, whose keys have the same name: what one may say is nothing that the other may. */
class SeveralIssuersTest {
    private static final String ATLAS = "https://atlas.example";
    private static final String BIO = "https://bio.example";
    private static final ECKey OF_ATLAS = key();
    private static final ECKey OF_BIO = key();
    private static final Duration LATER = Duration.ofSeconds(5);

    @TempDir private Path directory;
    private final SimClock clock = new SimClock();
    private final GridMap map =
            GridMap.parse(
                    """
                    "https://atlas.example s1" ann
                    "https://bio.example s1" bob
                    "https://bio.example s2" root
                    """,
                    "map");

    private static ECKey key() {
        try {
            return new ECKeyGenerator(Curve.P_256).keyID("1").generate();
        } catch (JOSEException e) {
            throw new AssertionError(e);
        }
    }

    @BeforeEach
    void keys() throws IOException {
        write("atlas.jwks", OF_ATLAS);
        write("bio.jwks", OF_BIO);
    }

    private void write(String name, ECKey key) throws IOException {
        Files.writeString(directory.resolve(name), new JWKSet(key.toPublicJWK()).toString());
    }

    private static final String BOTH =
            """
            [tokens]
            issuer = "https://atlas.example"
            audience = "farm"
            keys = "atlas.jwks"
            base = "/atlas"

            [tokens.bio]
            issuer = "https://bio.example"
            audience = "farm-of-bio"
            keys = "bio.jwks"
            base = "/bio/data"
            """;

    private Optional<TokenSettings> read(String text) {
        return Config.read(text, directory.resolve("meta.toml"), TokenSettings::read);
    }

    private TokenJudge judge() {
        return read(BOTH).orElseThrow().open(clock, () -> map);
    }

    private String token(String issuer, String audience, String subject, ECKey key)
            throws JOSEException {
        SignedJWT token =
                new SignedJWT(
                        new JWSHeader.Builder(JWSAlgorithm.ES256).keyID("1").build(),
                        new JWTClaimsSet.Builder()
                                .issuer(issuer)
                                .audience(audience)
                                .subject(subject)
                                .issueTime(Date.from(clock.now()))
                                .expirationTime(Date.from(clock.now().plus(Duration.ofHours(1))))
                                .claim("scope", "storage.read:/x storage.modify:/")
                                .build());
        token.sign(new ECDSASigner(key));
        return token.serialize();
    }

    private static void refused(TokenJudge judge, String token, String why) {
        assertThatThrownBy(() -> judge.judge(token))
                .isInstanceOfSatisfying(
                        FarmException.class,
                        e -> assertThat(e.kind()).isEqualTo(ErrorKind.NOT_AUTHENTICATED))
                .hasMessageContaining(why);
    }

    @Test
    void eachIsJudgedByItsIssuerAlone() throws JOSEException {
        TokenJudge judge = judge();
        Identity ann = judge.judge(token(ATLAS, "farm", "s1", OF_ATLAS)).identity();
        Identity bob = judge.judge(token(BIO, "farm-of-bio", "s1", OF_BIO)).identity();
        assertThat(ann.user()).isEqualTo("ann");
        assertThat(bob.user()).isEqualTo("bob");
        assertThat(ann.scopes().orElseThrow())
                .as("below the base of its issuer")
                .hasToString("storage.modify:/atlas storage.read:/atlas/x");
        assertThat(bob.scopes().orElseThrow())
                .hasToString("storage.modify:/bio/data storage.read:/bio/data/x");

        refused(judge, token(BIO, "farm-of-bio", "s1", OF_ATLAS), "not signed by its issuer");
        refused(judge, token(BIO, "farm", "s2", OF_ATLAS), "not signed by its issuer");
        refused(judge, token(ATLAS, "farm", "s1", OF_BIO), "not signed by its issuer");
        refused(judge, token(BIO, "farm", "s1", OF_BIO), "for another audience");
        refused(judge, token(ATLAS, "farm-of-bio", "s1", OF_ATLAS), "for another audience");
        refused(judge, token(ATLAS, "farm", "s2", OF_ATLAS), "not in the grid-mapfile");
        for (String neither :
                List.of(ATLAS + "/", "https://bio", BIO + " s1", "bio", "", ATLAS + " " + BIO)) {
            refused(judge, token(neither, "farm", "s1", OF_ATLAS), "of another issuer");
        }
    }

    @Test
    void keysThatCannotBeReadStopNoOtherIssuer() throws IOException, JOSEException {
        for (String unusable :
                List.of(
                        "",
                        "rubbish",
                        "{\"keys\":[]}",
                        "{\"keys\":[null]}",
                        "{\"keys\":{}}",
                        "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AA\",\"y\":\"AA\"}]}",
                        "{\"keys\":[{\"kty\":\"RSA\",\"n\":\"\",\"e\":\"\"}]}",
                        "[".repeat(10_000),
                        new JWKSet(OF_BIO).toString(false))) { // with its secret half
            Files.writeString(directory.resolve("bio.jwks"), unusable);
            TokenJudge judge = judge();
            assertThat(judge.judge(token(ATLAS, "farm", "s1", OF_ATLAS)).stands()).isTrue();
            refused(judge, token(BIO, "farm-of-bio", "s1", OF_BIO), "unknown key");
            refused(judge, token(BIO, "farm-of-bio", "s1", OF_ATLAS), "unknown key");
        }
        Files.delete(directory.resolve("bio.jwks"));
        TokenJudge judge = judge();
        LogIns.Standing ann = judge.judge(token(ATLAS, "farm", "s1", OF_ATLAS));
        String ofBob = token(BIO, "farm-of-bio", "s1", OF_BIO);
        refused(judge, ofBob, "unknown key");
        write("bio.jwks", OF_BIO);
        LogIns.Standing bob = judge.judge(ofBob);

        write("bio.jwks", key());
        clock.advance(LATER);
        assertThat(bob.stands()).isFalse();
        assertThat(ann.stands()).isTrue();
    }

    @Test
    void whatTheFileSaysTwiceOrHalfIsRefusedWithItsLine() {
        refused(
                BOTH.replace(BIO, ATLAS),
                "meta.toml:8: configuration error (tokens.bio.issuer: https://atlas.example has a section of its own already");
        refused(BOTH.replace("audience = \"farm-of-bio\"", ""), "'tokens.bio.audience' is missing");
        refused(BOTH.replace("issuer = \"https://bio.example\"", ""), "'tokens.bio.issuer'");
        refused(BOTH.replace("https://bio", "http://bio"), "is the https URL");
        refused(
                BOTH.replace("\"/bio/data\"", "\"/bio/../x\""),
                "meta.toml:11: configuration error (tokens.bio.base");
        refused(BOTH + "bass = 1\n", "unknown key 'tokens.bio.bass'; did you mean");
        refused("[tokens]\naudience = \"x\"\n", "tokens.audience");
        assertThat(read("")).isEmpty();
        assertThat(read("[tokens]\n")).isEmpty();
        assertThat(read(BOTH.substring(BOTH.indexOf("[tokens.bio]"))).orElseThrow().issuers())
                .hasSize(1);
    }

    private void refused(String text, String why) {
        assertThatThrownBy(() -> read(text))
                .isInstanceOfSatisfying(
                        FarmException.class,
                        e -> assertThat(e.kind()).isEqualTo(ErrorKind.BAD_CONFIGURATION))
                .hasMessageContaining(why);
    }
}
