package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.operand.Operands;
import org.gridfarm.protocol.name.FarmPath;

import java.util.Collection;
import java.util.List;

/**
 * Which paths of a command that copies lie in the farm. Where all are absolute, all do. Once one is
 * marked, plain paths are those of this machine, as are relative ones.
 */
final class Sides {
    private final Operands operands;
    private final boolean anyMarked;

    private Sides(Operands operands, boolean anyMarked) {
        this.operands = operands;
        this.anyMarked = anyMarked;
    }

    static Sides of(Operands operands, String... words) {
        return of(operands, List.of(words));
    }

    static Sides of(Operands operands, Collection<String> words) {
        return new Sides(operands, words.stream().anyMatch(operands::isMarked));
    }

    boolean isLocal(String word) {
        return Operands.isMarkedLocal(word)
                || !operands.isMarked(word) && (anyMarked || !word.startsWith("/"));
    }

    FarmPath path(String word) {
        return operands.path(word);
    }
}
