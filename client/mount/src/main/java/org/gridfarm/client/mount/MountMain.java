package org.gridfarm.client.mount;

import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.metadata.OwnDecisions;
import org.gridfarm.client.mount.fuse.MountOptions;
import org.gridfarm.client.mount.fuse.jnr.JnrMount;
import org.gridfarm.client.mount.fuse.linux.FileClock;
import org.gridfarm.client.mount.fuse.linux.LinuxMount;
import org.gridfarm.client.mount.fuse.linux.SavedMount;
import org.gridfarm.client.mount.fuse.linux.ThisProcess;
import org.gridfarm.client.mount.own.OwnDirectories;
import org.gridfarm.client.mount.own.OwnFigures;
import org.gridfarm.client.mount.own.Wish;
import org.gridfarm.client.mount.takeover.Heartbeat;
import org.gridfarm.client.mount.takeover.Ledger;
import org.gridfarm.client.mount.takeover.Numbers;
import org.gridfarm.client.mount.takeover.OpenBook;
import org.gridfarm.client.mount.takeover.Supervisor;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.Exit;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.observe.Readiness;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The mount's process: wiring. It ends when the mount is taken away, and takes the mount away when
 * it is told to end. Under a supervisor it begins where the process before it was ended.
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
            MountSettings settings = MountSettings.parse(words);
            Path file = settings.ledger();
            if (file == null) {
                mount(settings, null);
            } else {
                try (Ledger ledger = Ledger.open(file, () -> Standby.getReady(settings, file))) {
                    if (settings.preparesOnly()) {
                        prepare(settings, ledger);
                    } else {
                        mount(settings, ledger);
                    }
                }
            }
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

    /**
     * Whether such a mount outlives the process that serves it, by means of a {@link Supervisor}.
     *
     * @throws FarmException USAGE for words that no mount would take
     */
    public static boolean isToBeSupervised(List<String> words) {
        return !MountSettings.parse(words.toArray(String[]::new)).usesJnr();
    }

    /**
     * This process becomes the one that runs the command.
     *
     * @return only when that failed
     */
    public static IOException become(List<String> command) {
        return ThisProcess.become(command);
    }

    /** As an ordinary user: fusermount3 mounts, and this process becomes the supervisor. */
    private static void prepare(MountSettings settings, Ledger ledger) throws IOException {
        LinuxMount mount = LinuxMount.prepare(settings.directory(), settings.options(false));
        ledger.mounted(mount.saved().text());
        List<String> server = ownCommand();
        List<String> supervisor =
                Supervisor.of(settings.directory()).command(settings.directory(), true, server);
        IOException failure = mount.become(supervisor, Supervisor.DEVICE);
        mount.close();
        throw failure;
    }

    /** Without the words that the supervisor adds again. */
    private static List<String> ownCommand() throws IOException {
        List<String> words = new ArrayList<>();
        for (String word : Files.readString(Path.of("/proc/self/cmdline")).split("\0")) {
            if (word.equals("--supervised")) {
                break;
            }
            words.add(word);
        }
        return words;
    }

    private static void mount(MountSettings settings, @Nullable Ledger ledger)
            throws IOException, InterruptedException {
        ClientConfig config = settings.client();
        if (ledger != null) {
            ledger.processBegins();
        }
        Numbers numbers = ledger == null ? Numbers.unkept() : Numbers.of(ledger);
        boolean goesOn = numbers.session() != 0;
        Path file = settings.ledger();
        if (file != null && !goesOn) LeftDecisions.tell(file, config);
        String name = "mount " + settings.directory();
        try (OwnDirectories own = ownDirectories(settings, config, goesOn);
                Gridfarm farm =
                        Gridfarm.open(
                                config, name, numbers, own == null ? OwnDecisions.NONE : own)) {
            if (!settings.usesJnr()) {
                farm.localCallsBy(new LinuxCalls());
            }
            if (ledger != null && !goesOn) {
                ledger.trusted(farm.mayAssert());
            }
            boolean trusted = ledger == null ? farm.mayAssert() : ledger.isTrusted();
            if (own != null && !trusted) {
                if (settings.writeBehind().isDemanded()) {
                    throw notOwn("only for the mount of a host, whose certificate says @mount");
                }
                own.wishForNone();
            }
            boolean everybody = trusted && isRoots();
            MountOptions options = settings.options(everybody);
            Mounted mounted =
                    new Mounted(
                            farm.metadata(),
                            farm.transfer(),
                            new Callers(
                                    () -> farm.metadata().self(),
                                    trusted,
                                    settings.identities(farm, trusted)),
                            new Beliefs(
                                    farm.metadata(), settings.cache(), settings.fixed().toNanos()),
                            new LastErrors(),
                            numbers,
                            ledger == null ? OpenBook.NONE : ledger,
                            new SecondAttempts(farm.metadata(), farm.transfer(), Clock.system()),
                            new Remains(Clock.system()),
                            new AccessTimes(farm.metadata(), Clock.system(), options.flags()));
            if (own != null) {
                own.tellsOf(mounted.times()::tell);
                mounted.times().stayWhere(own::isOwn);
            }
            FarmOperations operations =
                    new FarmOperations(
                            mounted,
                            settings.noPassthrough(config),
                            ledger != null && goesOn
                                    ? Restoration.from(farm, ledger.former())
                                    : Restoration.NONE,
                            own == null ? () -> OwnFigures.NONE : own::figures);
            try (MountDoor door =
                    MountDoor.open(
                            settings,
                            farm.metadata()::leaseNanosLeft,
                            operations::register,
                            goesOn,
                            Clock.system())) {
                if (settings.usesJnr()) {
                    log.info("mounting on {} by libfuse", settings.directory());
                    JnrMount.serve(settings.directory(), options, operations);
                } else if (ledger == null) {
                    await(LinuxMount.mount(settings.directory(), options, operations), settings);
                } else {
                    supervised(settings, options, operations, ledger);
                }
            }
        }
    }

    /**
     * Null: everything is the leader's to decide. What a former process decided is told also where
     * this one is to decide nothing.
     */
    private static @Nullable OwnDirectories ownDirectories(
            MountSettings settings, ClientConfig config, boolean goesOn) throws IOException {
        Path ledger = settings.ledger();
        Wish wish =
                switch (settings.writeBehind()) {
                    case OFF -> Wish.NONE;
                    case BORN -> Wish.BORN;
                    case ON -> Wish.ALL;
                    // No other has a host's certificate.
                    case BORN_WHERE_POSSIBLE -> isRoots() ? Wish.BORN : Wish.NONE;
                };
        if (ledger == null) {
            if (!settings.writeBehind().isDemanded()) return null;
            throw notOwn(
                    "only with the engine of this kernel: nobody would go on for this process");
        }
        Path log = Supervisor.decisions(ledger);
        if (!goesOn) Files.deleteIfExists(log);
        return wish != Wish.NONE || Files.exists(log)
                ? new OwnDirectories(
                        Clock.system(), FileClock::now, config.node(), log, wish, goesOn)
                : null;
    }

    private static boolean isRoots() {
        return System.getProperty("user.name").equals("root");
    }

    private static FarmException notOwn(String why) {
        return new FarmException(ErrorKind.USAGE, "mount -o", "writebehind", why);
    }

    private static void supervised(
            MountSettings settings, MountOptions options, FarmOperations operations, Ledger ledger)
            throws IOException, InterruptedException {
        Path file = java.util.Objects.requireNonNull(settings.ledger());
        LinuxMount mount;
        if (ledger.mount().isEmpty()) {
            mount = LinuxMount.prepareOn(Supervisor.DEVICE, settings.directory(), options);
            ledger.mounted(mount.saved().text());
            mount.serve(operations);
        } else {
            SavedMount saved = SavedMount.parse(ledger.mount()).withFd(Supervisor.DEVICE);
            mount = LinuxMount.resume(saved, options, operations);
        }
        Heartbeat heart = new Heartbeat(file, mount::sweeps);
        heart.start(file);
        if (ledger.processes() > 1) {
            log.info("process {} goes on with {}", ledger.processes(), settings.directory());
        }
        await(mount, settings);
        heart.end();
    }

    private static void await(LinuxMount mount, MountSettings settings)
            throws InterruptedException {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> close(mount), "gf-umount"));
        log.info("mounted on {}", settings.directory());
        Readiness.tell();
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
