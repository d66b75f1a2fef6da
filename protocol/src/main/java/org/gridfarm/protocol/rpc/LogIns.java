package org.gridfarm.protocol.rpc;

import org.gridfarm.protocol.auth.Current;
import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.SharedKeys;

import java.util.Optional;

/**
 * By what a server lets in who has no certificate.
 *
 * @param tokens empty: by none
 * @param keys those of gf key; empty: by none
 */
public record LogIns(Optional<Tokens> tokens, Optional<Current<SharedKeys>> keys) {
    /** Guests stay guests. */
    public static final LogIns NONE = new LogIns(Optional.empty(), Optional.empty());

    public boolean areAny() {
        return tokens.isPresent() || keys.isPresent();
    }

    /** Judges bearer tokens. */
    @FunctionalInterface
    public interface Tokens {
        /**
         * @throws org.gridfarm.protocol.error.FarmException NOT_AUTHENTICATED, with nothing of the
         *     token in it
         */
        Standing judge(String token);
    }

    /** Who somebody is, as long as that is so. */
    public interface Standing {
        Identity identity();

        /** False when the token has run out, or the map or the keys have changed. Any thread. */
        boolean stands();
    }
}
