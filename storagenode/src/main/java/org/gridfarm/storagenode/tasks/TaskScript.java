package org.gridfarm.storagenode.tasks;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NameText;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What becomes the task, in the words of /bin/sh, which reads it from a pipe once it is the user:
 * so his environment, his directory and his files are met with his rights alone, and neither they
 * nor the environment stand in any process's arguments. The shell parses all of it before it runs
 * any, and replaces itself.
 *
 * <p>Words go in single quotes as the bytes that they are; the shell makes nothing of them.
 */
final class TaskScript {
    static final int COMMAND_NOT_RUN = 126;

    private final StringBuilder text = new StringBuilder("umask 022; ");

    /** From here on paths begin there. */
    TaskScript changeDirectory(String directory, String shown) {
        text.append("cd -- ");
        quote(directory);
        text.append(" 2>/dev/null || { printf '%s\\n' ");
        quote("gf: cannot enter directory " + shown);
        text.append(" >&2; exit ").append(COMMAND_NOT_RUN).append("; }; unset OLDPWD; ");
        return this;
    }

    TaskScript export(Map<String, String> variables) {
        variables.forEach((name, value) -> {
            text.append("export ").append(name).append('=');
            quote(value);
            text.append("; ");
        });
        return this;
    }

    /**
     * The shell that reads a script. One that reads it from its standard input may read further
     * than the script goes; where the task's own input follows, just the script is read before.
     */
    static List<String> shell(byte[] script, boolean isFollowed) throws IOException {
        return isFollowed
                ? List.of(
                        Programs.SHELL,
                        "-c",
                        "eval \"$('" + Programs.of("head") + "' -c " + script.length + ")\"")
                : List.of(Programs.SHELL);
    }

    /**
     * Becomes the command; nothing can follow.
     *
     * @param stdin empty: what follows the script
     */
    byte[] exec(List<String> command, Optional<String> stdin) {
        if (command.isEmpty() || command.get(0).isEmpty() || command.get(0).startsWith("-")) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "run-task",
                    command.isEmpty() ? "" : command.get(0),
                    "a command begins with the name of a program");
        }
        text.append("exec");
        for (String word : command) {
            text.append(' ');
            quote(word);
        }
        stdin.ifPresent(file -> {
            text.append(" <");
            quote(file);
        });
        return NameText.bytes("{ " + text + "; exit " + COMMAND_NOT_RUN + "; }\n");
    }

    private void quote(String word) {
        if (word.indexOf('\0') >= 0) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "run-task",
                    word.replace('\0', '?'),
                    "no word of a command can hold a zero byte");
        }
        text.append('\'').append(word.replace("'", "'\\''")).append('\'');
    }
}
