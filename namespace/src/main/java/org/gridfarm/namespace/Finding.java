package org.gridfarm.namespace;

import org.gridfarm.protocol.wire.Change;

import java.util.List;

/**
 * Something wrong with the namespace.
 *
 * @param what a sentence for people
 * @param mend changes that put it right, made from the state it was found in; empty: it is put
 *     right after others
 * @param homeless a name in {@code /lost+found} would put it right, and there is no such directory
 */
public record Finding(String what, List<Change> mend, boolean homeless) {
    public Finding {
        mend = List.copyOf(mend);
    }

    public Finding(String what, List<Change> mend) {
        this(what, mend, false);
    }
}
