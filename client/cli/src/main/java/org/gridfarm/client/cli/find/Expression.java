package org.gridfarm.client.cli.find;

import java.io.IOException;

/** A part of what {@code gf find} was asked for. */
public interface Expression {
    /** Whether it holds of a file; actions are done on the way. */
    boolean test(Visit visit) throws IOException;

    default Expression and(Expression other) {
        return visit -> test(visit) && other.test(visit);
    }

    default Expression or(Expression other) {
        return visit -> test(visit) || other.test(visit);
    }

    default Expression not() {
        return visit -> !test(visit);
    }
}
