package org.gridfarm.metaserver.token;

import org.gridfarm.protocol.auth.Reloaded;
import org.gridfarm.protocol.env.Clock;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Somebody whose tokens count.
 *
 * @param name as it stands in {@code iss}
 * @param audience has to be in {@code aud}
 * @param keys the file of his public keys
 * @param base names of the directory that a scope of his means by /
 */
record TokenIssuer(String name, String audience, Path keys, List<String> base) {
    private static final Duration LOOK_EVERY = Duration.ofSeconds(5);

    TokenIssuer {
        base = List.copyOf(base);
    }

    /**
     * Where his keys cannot be read, the log says so and none of his tokens is good, until they
     * can.
     */
    KnownIssuer open(Clock clock) {
        return new KnownIssuer(
                this,
                Reloaded.orUntilReadable(
                        keys, IssuerKeys::load, IssuerKeys.NONE, clock, LOOK_EVERY));
    }
}
