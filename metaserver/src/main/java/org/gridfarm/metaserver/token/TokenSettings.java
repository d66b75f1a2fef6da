package org.gridfarm.metaserver.token;

import org.gridfarm.protocol.auth.Current;
import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.Scopes;
import org.gridfarm.protocol.config.Config;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Whose bearer tokens count: section {@code [tokens]}, and {@code [tokens.NAME]} of each further
 * issuer. The names are for the reader of the file alone.
 *
 * <pre>
 * issuer = "https://tokens.example"     # as it stands in iss
 * audience = "farm.example"             # has to be in aud
 * keys = "/etc/gridfarm/tokens.jwks"    # the issuer's public keys; read again when they change
 * base = "/vo"                          # the directory that a scope means by /
 * </pre>
 */
public final class TokenSettings {
    private final List<TokenIssuer> issuers;

    private TokenSettings(List<TokenIssuer> issuers) {
        this.issuers = List.copyOf(issuers);
    }

    /** Empty where no issuer is named. */
    public static Optional<TokenSettings> read(Config config) {
        Config tokens = config.section("tokens");
        List<TokenIssuer> issuers = new ArrayList<>();
        if (tokens.has("issuer")) add(tokens, issuers);
        for (String name : tokens.sections()) {
            add(tokens.section(name), issuers);
        }
        return issuers.isEmpty() ? Optional.empty() : Optional.of(new TokenSettings(issuers));
    }

    private static void add(Config section, List<TokenIssuer> issuers) {
        TokenIssuer read = issuer(section);
        if (issuers.stream().anyMatch(other -> other.name().equals(read.name()))) {
            throw section.wrong("issuer", read.name() + " has a section of its own already");
        }
        issuers.add(read);
    }

    private static TokenIssuer issuer(Config section) {
        String issuer = section.text("issuer");
        if (!issuer.matches("https://[!-~]+")) {
            throw section.wrong("issuer", "is the https URL that the tokens name in iss");
        }
        try {
            return new TokenIssuer(
                    issuer,
                    section.text("audience"),
                    section.path("keys"),
                    Scopes.names(section.text("base", "/")));
        } catch (FarmException e) {
            if (e.kind() == ErrorKind.BAD_CONFIGURATION) throw e;
            throw section.wrong("base", "is an absolute path without '%', '.' and '..'");
        }
    }

    List<TokenIssuer> issuers() {
        return issuers;
    }

    /** Reads the keys of each; a fault in those of one is told in the log and hurts no other. */
    public TokenJudge open(Clock clock, Current<GridMap> people) {
        return new TokenJudge(
                issuers.stream().map(issuer -> issuer.open(clock)).toList(), people, clock);
    }
}
