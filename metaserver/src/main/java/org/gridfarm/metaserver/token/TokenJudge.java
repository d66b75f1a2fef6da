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
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Whether a bearer token is good here, and whose it is: of the WLCG profile, signed with RS256 or
 * ES256 by a key of the issuer that it names, for the audience that is configured for him, now. By
 * its issuer alone a token is judged: his keys sign for nobody else. Nothing in the token says
 * where keys are to be had or which algorithm a key is for. Thread-safe.
 */
public final class TokenJudge implements LogIns.Tokens {
    static final Duration SKEW = Duration.ofSeconds(60);
    static final int CHARS_MAX = 16 << 10;
    private static final Set<JWSAlgorithm> ALGORITHMS =
            Set.of(JWSAlgorithm.RS256, JWSAlgorithm.ES256);
    private static final Set<String> TYPES = Set.of("", "jwt", "at+jwt", "application/at+jwt");

    private final Map<String, KnownIssuer> issuers;
    private final Current<GridMap> people;
    private final Clock clock;

    /**
     * @param issuers no two of one name
     */
    TokenJudge(List<KnownIssuer> issuers, Current<GridMap> people, Clock clock) {
        this.issuers =
                issuers.stream()
                        .collect(
                                Collectors.toUnmodifiableMap(
                                        known -> known.issuer().name(), Function.identity()));
        this.people = people;
        this.clock = clock;
    }

    @Override
    public LogIns.Standing judge(String token) {
        SignedJWT parsed = parse(token);
        requireAccessToken(parsed.getHeader());
        JWTClaimsSet claims = claims(parsed); // which nobody may have signed
        KnownIssuer known = issuer(claims);
        JWK key = signer(parsed, known.keys());
        TokenIssuer issuer = known.issuer();
        String subject = claims.getSubject();
        Instant until = requireNow(claims);
        require(claims.getAudience().contains(issuer.audience()), "for another audience");
        require(subject != null && !subject.isEmpty(), "without a subject");
        Scopes scopes = Scopes.parse(scope(claims), issuer.base());
        Identity mapped =
                people.find(map -> map.ofToken(issuer.name(), subject))
                        .orElseThrow(() ->
                                new FarmException(
                                        ErrorKind.NOT_AUTHENTICATED,
                                        "log in",
                                        issuer.name() + " " + subject,
                                        "not in the grid-mapfile"));
        return new Known(mapped, scopes, known, subject, key, until);
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

    private static void requireAccessToken(JWSHeader header) {
        require(ALGORITHMS.contains(header.getAlgorithm()), "not signed with RS256 or ES256");
        String type = header.getType() == null ? "" : header.getType().getType();
        require(TYPES.contains(type.toLowerCase(java.util.Locale.ROOT)), "no access token");
    }

    private KnownIssuer issuer(JWTClaimsSet claims) {
        return Optional.ofNullable(claims.getIssuer())
                .flatMap(name -> Optional.ofNullable(issuers.get(name)))
                .orElseThrow(() -> refusal("of another issuer"));
    }

    private static JWK signer(SignedJWT token, Current<IssuerKeys> keys) {
        JWSHeader header = token.getHeader();
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
        private final KnownIssuer issuer;
        private final String subject;
        private final JWK key;
        private final Instant until;

        Known(
                Identity mapped,
                Scopes scopes,
                KnownIssuer issuer,
                String subject,
                JWK key,
                Instant until) {
            this.mapped = mapped;
            this.identity = mapped.under(scopes);
            this.issuer = issuer;
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
                    && issuer.keys().get().hold(key)
                    && people.get()
                            .ofToken(issuer.issuer().name(), subject)
                            .filter(mapped::equals)
                            .isPresent();
        }
    }
}
