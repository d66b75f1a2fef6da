package org.gridfarm.client.mount.fuse.linux;

import org.gridfarm.client.mount.fuse.EntryReply;
import org.gridfarm.client.mount.fuse.MountOptions;
import org.gridfarm.client.mount.fuse.RawName;
import org.gridfarm.client.mount.fuse.memory.MemoryOperations;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;

/// Goes on with a mount that its parent keeps: `ResumedProcess LOG hold|serve SAVED`. Says in LOG
/// what it is asked to make, and with `hold` never answers that.
final class ResumedProcess {

    private ResumedProcess() {}

    public static void main(String[] args) throws Exception {
        Path log = Path.of(args[0]);
        boolean hold = args[1].equals("hold");
        MemoryOperations operations =
                new MemoryOperations(Clock.systemUTC(), 0) {
                    @Override
                    public void mkdir(
                            EntryReply reply, long parent, RawName name, int mode, int umask) {
                        say(log, args[1] + " " + name + (reply.resent() ? " again" : ""));
                        if (!hold) {
                            super.mkdir(reply, parent, name, mode, umask);
                        }
                    }
                };
        LinuxMount.resume(
                        SavedMount.parse(args[2]),
                        MountOptions.defaults().withPosixAcl(false),
                        operations)
                .awaitEnd();
    }

    private static void say(Path log, String line) {
        try {
            Files.writeString(
                    log, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
