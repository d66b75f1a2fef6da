package org.gridfarm.metaserver.token;

import org.gridfarm.protocol.auth.Current;
import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.Reloaded;
import org.gridfarm.protocol.auth.Scopes;
import org.gridfarm.protocol.config.Config;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.FarmException;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Whose bearer tokens count: section {@code [tokens]}.
 *
 * <pre>
 * issuer = "https://tokens.example"     # as it stands in iss
 * audience = "farm.example"             # has to be in aud
 * keys = "/etc/gridfarm/tokens.jwks"    # the issuer's public keys; read again when they change
 * base = "/vo"                          # the directory that a scope means by /
 * </pre>
 */
public record TokenSettings(String issuer, String audience, Path keys, List<String> base) {
    private static final Duration LOOK_EVERY = Duration.ofSeconds(5);

    /** Empty where no issuer is named. */
    public static Optional<TokenSettings> read(Config config) {
        Config tokens = config.section("tokens");
        if (!tokens.has("issuer")) return Optional.empty();
        String issuer = tokens.text("issuer");
        if (!issuer.matches("https://[!-~]+")) {
            throw tokens.wrong("issuer", "is the https URL that the tokens name in iss");
        }
        try {
            return Optional.of(
                    new TokenSettings(
                            issuer,
                            tokens.text("audience"),
                            tokens.path("keys"),
                            Scopes.names(tokens.text("base", "/"))));
        } catch (FarmException e) {
            throw tokens.wrong("base", "is an absolute path without '%', '.' and '..'");
        }
    }

    /** Reads the keys; a fault in them is BAD_CONFIGURATION. */
    public TokenJudge open(Clock clock, Current<GridMap> people) {
        Reloaded<IssuerKeys> known = new Reloaded<>(keys, IssuerKeys::load, clock, LOOK_EVERY);
        return new TokenJudge(this, known, people, clock);
    }
}
