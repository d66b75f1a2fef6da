package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Failures;
import org.gridfarm.client.cli.operand.Operands;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.name.FarmPath;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Operands one after the other: what fails is told, and the rest goes on. The exit status is that
 * of the first failure. For one thread.
 */
final class Each {
    /** What is done with one. */
    interface Action {
        void run() throws IOException;
    }

    /** What is done with one path. */
    interface OnPath {
        void run(FarmPath path) throws IOException;
    }

    private final Operands operands = Operands.here();
    private int exitCode;

    /** False: it failed. */
    boolean attempt(Action action) {
        try {
            action.run();
            return true;
        } catch (IOException | RuntimeException e) {
            int code = Failures.report(e);
            exitCode = exitCode == 0 ? code : exitCode;
            return false;
        }
    }

    /** Paths of the farm, with patterns expanded. */
    void path(Gridfarm farm, List<String> words, OnPath action) {
        for (FarmPath path : paths(farm, words)) {
            attempt(() -> action.run(path));
        }
    }

    List<FarmPath> paths(Gridfarm farm, List<String> words) {
        List<FarmPath> paths = new ArrayList<>();
        for (String word : words) {
            attempt(() -> paths.addAll(operands.paths(farm, word)));
        }
        return paths;
    }

    /** Paths of what is to be made. */
    void name(List<String> words, OnPath action) {
        for (String word : words) {
            attempt(() -> action.run(operands.path(word)));
        }
    }

    /** One that is not to be expanded. */
    FarmPath one(String word) {
        return operands.path(word);
    }

    int exitCode() {
        return exitCode;
    }
}
