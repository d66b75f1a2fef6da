package org.gridfarm.storagenode.tasks;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A directory for one task on a node without a mount: his alone, under a name that nobody could
 * take first, gone when the task has ended.
 */
record Scratch(Path directory) {
    private static final Logger LOG = LoggerFactory.getLogger(Scratch.class);

    static Scratch make(Path parent, TaskUser user) throws IOException {
        Files.createDirectories(parent);
        Path made = Files.createTempDirectory(parent, "gridfarm-task-"); // mode 700
        if (user.nodeUid() == 0) {
            Files.setAttribute(made, "unix:gid", (int) user.gid());
            Files.setAttribute(made, "unix:uid", (int) user.uid());
        }
        return new Scratch(made);
    }

    /** As the user: root would follow wherever he has put links meanwhile. */
    void remove(List<String> become) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(become);
        words.addAll(List.of(Programs.of("rm"), "-rf", "--", directory.toString()));
        Process removal =
                Programs.builder(words)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        if (removal.waitFor() != 0) {
            LOG.debug("{} is not the user's to remove", directory);
        }
        Files.deleteIfExists(directory); // where the parent is root's alone it is empty now
    }
}
