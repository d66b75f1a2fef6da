package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.cluster.Mounts;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;
import java.util.concurrent.Callable;

@Command(name = "umount", header = "Ends a mount.", mixinStandardHelpOptions = true)
public final class Umount implements Callable<Integer> {
    @Option(
            names = "--force",
            description = "whatever is open or broken: calls under way fail at once")
    private boolean force;

    @Parameters(paramLabel = "DIR")
    private Path directory = Path.of(".");

    @Override
    public Integer call() {
        Path at = directory.toAbsolutePath().normalize();
        if (!Mounts.isMounted(at)) {
            throw new FarmException(
                    ErrorKind.NOT_FOUND, "umount", at.toString(), "nothing is mounted there");
        }
        if (force) {
            Mounts.force(at);
        } else {
            Mounts.unmount(at);
        }
        return 0;
    }
}
