package org.gridfarm.storagenode.tasks;

import org.gridfarm.protocol.name.NameText;

import java.util.List;
import java.util.Locale;

/**
 * One line of the shell, all ASCII, for a command whose words are bytes: the JDK hands words to a
 * process in the charset of this process's locale and loses what that does not hold.
 */
final class ShellLine {
    private final StringBuilder line = new StringBuilder();

    /** Becomes the command; nothing can follow. */
    ShellLine exec(List<String> environment, List<String> command) {
        line.append("exec");
        if (!environment.isEmpty()) {
            line.append(" env");
            environment.forEach(this::word);
        }
        command.forEach(this::word);
        return this;
    }

    ShellLine changeDirectory(String directory) {
        line.append("cd");
        word(directory);
        line.append(" || exit ").append(TaskRun.COMMAND_NOT_RUN).append("; ");
        return this;
    }

    ShellLine readFrom(String file) {
        line.append(" <");
        word(file);
        return this;
    }

    List<String> words() {
        return List.of("/bin/sh", "-c", line.toString());
    }

    /** ASCII stands in quotes, the other bytes as printf makes them. */
    private void word(String text) {
        line.append(" '");
        boolean printed = false;
        for (byte b : NameText.bytes(text)) {
            if (b < 0 != printed) {
                line.append(printed ? "')\"'" : "'\"$(printf '");
                printed = !printed;
            }
            if (b < 0) {
                line.append(String.format(Locale.ROOT, "\\%03o", b & 0xFF));
            } else {
                line.append(b == '\'' ? "'\\''" : Character.toString(b));
            }
        }
        line.append(printed ? "')\"" : "'");
    }
}
