package org.gridfarm.client.cli.bench.mount;

import org.gridfarm.client.cli.cluster.OsProcess;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** {@code git status} in a repository of many files. */
final class GitStatus {
    private static final int FILES_PER_FOLDER = 200;

    private GitStatus() {}

    /** A repository in one pack, to be copied to where it is measured. */
    static void make(Path at, int files) throws IOException {
        for (int i = 0; i < files; i++) {
            Path folder = at.resolve("d" + i / FILES_PER_FOLDER);
            if (i % FILES_PER_FOLDER == 0) {
                Files.createDirectories(folder);
            }
            Files.writeString(folder.resolve("f" + i), "file " + i + "\n");
        }
        git(at, "init", "-q");
        git(at, "add", ".");
        git(at, "-c", "user.name=bench", "-c", "user.email=bench", "commit", "-q", "-m", "files");
        git(at, "gc", "-q");
    }

    static void copy(Path from, Path to) {
        OsProcess.run(List.of("cp", "-a", from.toString(), to.toString()));
        git(to, "status", "--short"); // the copies' inodes are other ones: the index learns them
    }

    /** Seconds. */
    static double measure(Path at) {
        long from = System.nanoTime();
        git(at, "status", "--short");
        return (System.nanoTime() - from) / 1e9;
    }

    private static void git(Path at, String... words) {
        List<String> command = new java.util.ArrayList<>(List.of("git", "-C", at.toString()));
        // Whoever owns it, and whatever this user's own settings are.
        command.addAll(List.of("-c", "safe.directory=*", "-c", "gc.auto=0"));
        command.addAll(List.of(words));
        OsProcess.run(command);
    }
}
