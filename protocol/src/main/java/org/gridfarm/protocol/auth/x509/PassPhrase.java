package org.gridfarm.protocol.auth.x509;

import java.util.Optional;

/** Where the pass phrase of an encrypted key comes from. Asked only where a key needs one. */
@FunctionalInterface
public interface PassPhrase {
    /** There is nobody to ask: encrypted keys are refused. */
    PassPhrase NONE = Optional::empty;

    /** The phrase, which the caller overwrites after use; empty where there is none. */
    Optional<char[]> ask();
}
