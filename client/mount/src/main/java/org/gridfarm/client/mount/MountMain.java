package org.gridfarm.client.mount;

import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.mount.fuse.MountOptions;
import org.gridfarm.client.mount.fuse.jnr.JnrMount;
import org.gridfarm.client.mount.fuse.linux.LinuxMount;
import org.gridfarm.protocol.error.Exit;
import org.gridfarm.protocol.error.FarmException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Optional;

/**
 * The mount's process: wiring. It ends when the mount is taken away, and takes the mount away when
 * it is told to end.
 */
public final class MountMain {
    private static final Logger log = LoggerFactory.getLogger(MountMain.class);

    private MountMain() {}

    public static void main(String[] words) {
        System.exit(run(words));
    }

    /** Exit status; returns when the mount has ended. */
    public static int run(String[] words) {
        try {
            mount(MountSettings.parse(words));
            return 0;
        } catch (FarmException e) {
            System.err.println("gf mount: " + e.getMessage());
            return e.kind().exitCode();
        } catch (IOException e) {
            System.err.println("gf mount: " + e.getMessage());
            return Exit.UNAVAILABLE.code();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Exit.INTERRUPTED.code();
        }
    }

    private static void mount(MountSettings settings) throws IOException, InterruptedException {
        ClientConfig config = ClientConfig.find(Optional.ofNullable(settings.config()));
        try (Gridfarm farm =
                Gridfarm.open(
                        settings.node() == null ? config : config.withNode(settings.node()),
                        "mount " + settings.directory())) {
            Mounted mounted =
                    new Mounted(
                            farm.metadata(),
                            farm.transfer(),
                            new Callers(farm.metadata().self(), farm.mayAssert()),
                            new Beliefs(
                                    farm.metadata(), settings.cache(), settings.fixed().toNanos()),
                            new LastErrors());
            FarmOperations operations = new FarmOperations(mounted, settings.passthrough());
            boolean everybody = farm.mayAssert() && System.getProperty("user.name").equals("root");
            MountOptions options =
                    everybody
                            ? settings.options().withAllowOther(true).withSuid(true).withDev(true)
                            : settings.options();
            if (settings.usesJnr()) {
                log.info("mounting on {} by libfuse", settings.directory());
                JnrMount.serve(settings.directory(), options, operations);
            } else {
                serve(LinuxMount.mount(settings.directory(), options, operations), settings);
            }
        }
    }

    private static void serve(LinuxMount mount, MountSettings settings)
            throws InterruptedException {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> close(mount), "gf-umount"));
        log.info("mounted on {}", settings.directory());
        mount.awaitEnd();
        log.info("the mount on {} has ended", settings.directory());
    }

    private static void close(LinuxMount mount) {
        try {
            mount.close();
        } catch (IOException e) {
            log.warn("taking the mount away: {}", e.getMessage());
        }
    }
}
