package org.gridfarm.test.cluster;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A shell that was there before this process opened files of a mount. A program that we start
 * ourselves first closes what it inherits of them, and so waits for a farm that is out of order.
 */
public final class ShellBeside implements AutoCloseable {
    private static final String LOOP =
            "while read -r line; do " + "eval \"$line\" >\"$0\" 2>&1 </dev/null; echo $?; done";

    private final Path said;
    private final Process shell;
    private final BufferedWriter commands;
    private final BufferedReader results;

    /**
     * @param gf what runs the command line of the farm; in a command it is written {@code "$@"}
     */
    ShellBeside(Path directory, List<String> gf) throws IOException {
        said = directory.resolve("shell-beside.txt");
        List<String> words = new ArrayList<>(List.of("/bin/sh", "-c", LOOP, said.toString()));
        words.addAll(gf);
        shell = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        commands = shell.outputWriter();
        results = shell.inputReader();
    }

    /** Runs one line, which must succeed. */
    public void run(String line) throws IOException {
        commands.write(line + "\n");
        commands.flush();
        String status = results.readLine();
        if (!"0".equals(status)) {
            throw new IOException(line + ": " + status + ": " + Files.readString(said));
        }
    }

    @Override
    public void close() throws IOException {
        commands.close();
        shell.destroy();
    }
}
