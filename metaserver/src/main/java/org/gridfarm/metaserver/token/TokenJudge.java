package org.gridfarm.metaserver.token;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;

import org.gridfarm.protocol.auth.Current;
import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Scopes;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.LogIns;

import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Whether a bearer token is good here, and whose it is: of the WLCG profile, signed with RS256 or
 * ES256 by a key of the configured issuer, for the configured audience, now. Nothing in the token
 * says where keys are to be had or which algorithm a key is for. Thread-safe.
 */
public final class TokenJudge implements LogIns.Tokens {
    static final Duration SKEW = Duration.ofSeconds(60);
    static final int CHARS_MAX = 16 << 10;
    private static final Set<JWSAlgorithm> ALGORITHMS =
            Set.of(JWSAlgorithm.RS256, JWSAlgorithm.ES256);
    private static final Set<String> TYPES = Set.of("", "jwt", "at+jwt", "application/at+jwt");

    private final TokenSettings settings;
    private final Current<IssuerKeys> keys;
    private final Current<GridMap> people;
    private final Clock clock;

    TokenJudge(
            TokenSettings settings,
            Current<IssuerKeys> keys,
            Current<GridMap> people,
            Clock clock) {
        this.settings = settings;
        this.keys = keys;
        this.people = people;
        this.clock = clock;
    }

    @Override
    public LogIns.Standing judge(String token) {
        SignedJWT parsed = parse(token);
        JWK key = signer(parsed);
        JWTClaimsSet claims = claims(parsed);
        String subject = claims.getSubject();
        Instant until = requireNow(claims);
        require(settings.issuer().equals(claims.getIssuer()), "of another issuer");
        require(claims.getAudience().contains(settings.audience()), "for another audience");
        require(subject != null && !subject.isEmpty(), "without a subject");
        Scopes scopes = Scopes.parse(scope(claims), settings.base());
        Identity mapped =
                people.find(map -> map.ofToken(settings.issuer(), subject))
                        .orElseThrow(() ->
                                new FarmException(
                                        ErrorKind.NOT_AUTHENTICATED,
                                        "log in",
                                        settings.issuer() + " " + subject,
                                        "not in the grid-mapfile"));
        return new Known(mapped, scopes, subject, key, until);
    }

    private static SignedJWT parse(String token) {
        require(token.length() <= CHARS_MAX, "longer than " + CHARS_MAX + " characters");
        require(token.matches("[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+"), "no signed JWT");
        try {
            return SignedJWT.parse(token);
        } catch (ParseException | IllegalArgumentException e) {
            throw refusal("no signed JWT"); // whose message would show it
        }
    }

    private JWK signer(SignedJWT token) {
        JWSHeader header = token.getHeader();
        require(ALGORITHMS.contains(header.getAlgorithm()), "not signed with RS256 or ES256");
        String type = header.getType() == null ? "" : header.getType().getType();
        require(TYPES.contains(type.toLowerCase(java.util.Locale.ROOT)), "no access token");
        String id = header.getKeyID() == null ? "" : header.getKeyID();
        Optional<List<JWK>> candidates = keys.find(known -> known.of(id, header.getAlgorithm()));
        for (JWK key : candidates.orElse(List.of())) {
            if (isSignedBy(token, key)) return key;
        }
        throw refusal(
                candidates.isEmpty() ? "signed with an unknown key" : "not signed by its issuer");
    }

    private static boolean isSignedBy(SignedJWT token, JWK key) {
        try {
            JWSVerifier verifier =
                    JWSAlgorithm.RS256.equals(token.getHeader().getAlgorithm())
                            ? new RSASSAVerifier(key.toRSAKey())
                            : new ECDSAVerifier(key.toECKey());
            return token.verify(verifier); // which refuses what is critical and unknown to it
        } catch (JOSEException | IllegalStateException e) {
            return false;
        }
    }

    private static JWTClaimsSet claims(SignedJWT token) {
        try {
            return token.getJWTClaimsSet();
        } catch (ParseException | IllegalArgumentException e) {
            throw refusal("unreadable claims");
        }
    }

    private Instant requireNow(JWTClaimsSet claims) {
        Instant now = clock.now();
        Date until = claims.getExpirationTime();
        Date from = claims.getNotBeforeTime();
        Date issued = claims.getIssueTime();
        require(until != null && issued != null, "without exp or iat");
        require(now.isBefore(until.toInstant().plus(SKEW)), "expired");
        require(from == null || !now.plus(SKEW).isBefore(from.toInstant()), "not yet valid");
        require(!now.plus(SKEW).isBefore(issued.toInstant()), "not yet valid");
        return until.toInstant().plus(SKEW);
    }

    private static String scope(JWTClaimsSet claims) {
        Object scope = claims.getClaim("scope");
        if (scope instanceof String text) return text;
        throw refusal("without a scope");
    }

    private static void require(boolean right, String otherwise) {
        if (!right) throw refusal(otherwise);
    }

    private static FarmException refusal(String why) {
        return new FarmException(ErrorKind.NOT_AUTHENTICATED, "log in", "token", why);
    }

    private final class Known implements LogIns.Standing {
        private final Identity mapped;
        private final Identity identity;
        private final String subject;
        private final JWK key;
        private final Instant until;

        Known(Identity mapped, Scopes scopes, String subject, JWK key, Instant until) {
            this.mapped = mapped;
            this.identity = mapped.under(scopes);
            this.subject = subject;
            this.key = key;
            this.until = until;
        }

        @Override
        public Identity identity() {
            return identity;
        }

        @Override
        public boolean stands() {
            return clock.now().isBefore(until)
                    && keys.get().hold(key)
                    && people.get()
                            .ofToken(settings.issuer(), subject)
                            .filter(mapped::equals)
                            .isPresent();
        }
    }
}
