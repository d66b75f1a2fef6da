package org.gridfarm.storagenode.tasks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A user namespace that does nothing but map the node's account to a user's, for a mount that shows
 * a file of the one as the other's. There as long as its process.
 */
final class ShownOwner implements AutoCloseable {
    private final Process process;

    private ShownOwner(Process process) {
        this.process = process;
    }

    static ShownOwner of(TaskUser user) throws IOException {
        Process process =
                Programs.builder(
                                List.of(
                                        Programs.of("unshare"),
                                        "--user",
                                        Programs.SHELL,
                                        "-c",
                                        "echo; read end"))
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        ShownOwner made = new ShownOwner(process);
        try {
            if (process.getInputStream().read() < 0) {
                throw new IOException("no user namespace can be made here");
            }
            Path proc = Path.of("/proc", Long.toString(process.pid()));
            Files.writeString(proc.resolve("uid_map"), user.nodeUid() + " " + user.uid() + " 1");
            Files.writeString(proc.resolve("gid_map"), "0 " + user.gid() + " 1");
            return made;
        } catch (IOException e) {
            made.close();
            throw e;
        }
    }

    Path namespace() {
        return Path.of("/proc", Long.toString(process.pid()), "ns", "user");
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
