package org.gridfarm.storagenode;

import org.gridfarm.protocol.config.DaemonSettings;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.observe.AuditLog;
import org.gridfarm.protocol.observe.LogLevel;
import org.gridfarm.protocol.observe.Readiness;
import org.gridfarm.protocol.observe.RunFile;
import org.gridfarm.protocol.rpc.ChannelSecurity;
import org.gridfarm.protocol.rpc.Loops;
import org.gridfarm.storagenode.disk.linux.LinuxDisk;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/** {@code gf storagenode --config FILE}: runs a storage node until it is told to end. */
public final class StorageNodeMain {
    private StorageNodeMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        try {
            run(arguments);
        } catch (FarmException e) {
            System.err.println("gf: " + e.getMessage());
            System.exit(e.kind().exitCode());
        }
    }

    private static void run(String[] arguments) throws InterruptedException {
        boolean check = arguments.length == 2 && arguments[0].equals("--check");
        if (!check && (arguments.length != 2 || !arguments[0].equals("--config"))) {
            throw new FarmException(
                    ErrorKind.USAGE, "storagenode", "", "give --config FILE and nothing else");
        }
        NodeSettings settings = NodeSettings.read(Path.of(arguments[1]));
        if (check) {
            return; // gf config check: nothing is wrong with the file
        }
        DaemonSettings daemon = settings.daemon();
        LogLevel.set(daemon.logLevel());
        AuditLog.to(daemon.auditLog());
        Clock clock = Clock.system();
        Loops loops = Loops.start("node");
        ChannelSecurity security = daemon.security().open(clock, loops.handshakes());
        StorageNode node =
                StorageNode.start(
                        settings, loops, security, LinuxDisk.orPortable(), clock, Entropy.system());
        Optional<RunFile> runFile =
                daemon.runFile()
                        .map(file -> RunFile.write(file, node.address(), node.httpAddress()));
        CountDownLatch ended = new CountDownLatch(1);
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    close(node);
                                    runFile.ifPresent(RunFile::close);
                                    loops.close();
                                    ended.countDown();
                                },
                                "shutdown"));
        Readiness.tell();
        ended.await();
    }

    private static void close(StorageNode node) {
        try {
            node.close();
        } catch (IOException | RuntimeException e) {
            LoggerFactory.getLogger(StorageNodeMain.class).error("closing: {}", e.toString());
        }
    }
}
