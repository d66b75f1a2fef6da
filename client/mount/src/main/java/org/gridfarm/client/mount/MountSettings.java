package org.gridfarm.client.mount;

import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.mount.fuse.MountFlag;
import org.gridfarm.client.mount.fuse.MountOptions;
import org.gridfarm.client.mount.fuse.linux.ThisProcess;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.wire.Credentials;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * What {@code gf mount} was told: {@code --config FILE [--node NAME] [-o OPTION,...]...
 * [--foreground] DIR}. Words that only other tools need (rw, auto, _netdev, nofail, ...) are taken
 * as fstab has them.
 */
final class MountSettings {
    private @Nullable Path config;
    private @Nullable String node;
    private String account = "";
    private @Nullable Path directory;
    private MountOptions options = MountOptions.defaults();
    private final Map<MountFlag, Boolean> flags = new EnumMap<>(MountFlag.class);
    private Beliefs.Mode cache = Beliefs.Mode.COHERENT;
    private Duration fixed = Duration.ofSeconds(1);
    private String engine = "linux";
    private boolean nopassthrough;
    private WriteBehind writeBehind = WriteBehind.BORN_WHERE_POSSIBLE;
    private @Nullable HostPort http;
    private @Nullable Path ledger;
    private boolean prepare;
    private @Nullable Integer uid;
    private @Nullable Integer gid;
    private boolean names;
    private IdMap users = IdMap.SAME;
    private IdMap groups = IdMap.SAME;

    static MountSettings parse(String[] words) {
        MountSettings settings = new MountSettings();
        for (int i = 0; i < words.length; i++) {
            switch (words[i]) {
                case "--config" -> settings.config = Path.of(value(words, ++i));
                case "--node" -> settings.node = value(words, ++i);
                case "--supervised" -> settings.ledger = Path.of(value(words, ++i));
                case "--prepare" -> settings.prepare = true;
                case "--engine" -> settings.engine = value(words, ++i);
                case "--foreground",
                        "-f" -> {} // this process is the mount; whoever wants it in the background
                // starts it there
                case "-o" -> {
                    for (String option : value(words, ++i).split(",")) {
                        settings.option(option);
                    }
                }
                default -> {
                    if (words[i].startsWith("-") || settings.directory != null) {
                        throw new FarmException(
                                ErrorKind.USAGE,
                                "mount",
                                words[i],
                                "unknown word; see gf mount --help");
                    }
                    settings.directory = Path.of(words[i]).toAbsolutePath().normalize();
                }
            }
        }
        return settings;
    }

    private static String value(String[] words, int i) {
        if (i >= words.length) {
            throw new FarmException(ErrorKind.USAGE, "mount", words[i - 1], "needs a value");
        }
        return words[i];
    }

    private void option(String option) {
        String name = option.contains("=") ? option.substring(0, option.indexOf('=')) : option;
        String value = option.substring(Math.min(option.length(), name.length() + 1));
        switch (name) {
            case "allow_other" -> options = options.withAllowOther(true);
            case "timeout" -> options = options.withDeadline(seconds(name, value));
            case "cache" ->
                    cache =
                            switch (value) {
                                case "coherent" -> Beliefs.Mode.COHERENT;
                                case "ttl" -> Beliefs.Mode.TIMED;
                                case "none" -> Beliefs.Mode.NONE;
                                default -> throw wrong(option, "cache is coherent, ttl or none");
                            };
            case "ttl" -> {
                cache = Beliefs.Mode.TIMED;
                fixed = seconds(name, value);
            }
            case "writebehind" ->
                    writeBehind =
                            switch (value) {
                                case "off" -> WriteBehind.OFF;
                                case "born" -> WriteBehind.BORN;
                                case "on" -> WriteBehind.ON;
                                default -> throw wrong(option, "writebehind is off, born or on");
                            };
            case "http" -> http = address(option, value);
            case "source" -> options = options.withSource(value);
            case "nostandby" -> {} // the supervisor's
            case "nopassthrough" -> nopassthrough = true;
            case "node" -> node = value;
            case "account" -> account = value;
            case "uid" -> uid = number(option, value);
            case "gid" -> gid = number(option, value);
            case "names" -> names = true;
            case "uidmap" -> users = users.with(value);
            case "gidmap" -> groups = groups.with(value);
            // what holds anyway, or is said to others
            case "auto",
                    "noauto",
                    "defaults",
                    "_netdev",
                    "nofail",
                    "async",
                    "relatime",
                    "nolazytime" -> {}
            default -> {
                if (!flag(name) && !name.startsWith("x-")) {
                    throw wrong(option, "unknown mount option; see gf mount --help");
                }
            }
        }
    }

    private static HostPort address(String option, String value) {
        try {
            return HostPort.parse(value);
        } catch (IllegalArgumentException e) {
            throw wrong(option, "needs HOST:PORT to listen on");
        }
    }

    private boolean flag(String word) {
        Optional<MountFlag> set = MountFlag.of(word);
        Optional<MountFlag> taken = MountFlag.opposedBy(word);
        set.ifPresent(flag -> flags.put(flag, true));
        taken.ifPresent(flag -> flags.put(flag, false));
        return set.isPresent() || taken.isPresent();
    }

    private static Duration seconds(String name, String value) {
        if (!value.matches("[0-9]+(\\.[0-9]+)?") || Double.parseDouble(value) <= 0) {
            throw wrong(name + "=" + value, "needs a number of seconds above 0");
        }
        return Duration.ofMillis((long) (Double.parseDouble(value) * 1000));
    }

    private static int number(String option, String value) {
        if (!value.matches("[0-9]{1,9}")) {
            throw wrong(option, "needs the number of a user or group of this machine");
        }
        return Integer.parseInt(value);
    }

    /**
     * A mount for one person shows the person's files as those of who mounts, if not of others.
     *
     * @param self whose certificate it is
     * @param trusted the mount acts for everybody on this machine
     */
    Identities identities(Credentials self, boolean trusted) throws IOException {
        if (trusted) {
            if (uid != null || gid != null) {
                throw wrong(
                        uid != null ? "uid" : "gid",
                        "only for the mount of one person; this one acts for all users of this machine: see uidmap, gidmap");
            }
            return new Identities(users, groups);
        }
        boolean root = ThisProcess.user() == 0;
        Integer user = uid == null && !root ? (Integer) ThisProcess.user() : uid;
        Integer group = gid == null && !root ? (Integer) ThisProcess.group() : gid;
        return new Identities(
                withSelf(users, user, self.getUid()), withSelf(groups, group, self.getGid()));
    }

    /** The same, by names where that is wanted. */
    Supplier<Identities> identities(Gridfarm farm, boolean trusted) throws IOException {
        Identities given = identities(farm.metadata().self(), trusted);
        if (!names) return () -> given;
        if (!trusted) {
            throw wrong("names", "only for a mount that acts for all users of this machine");
        }
        return NamedIdentities.of(farm, given);
    }

    private static IdMap withSelf(IdMap map, @Nullable Integer here, int there) {
        return here == null || here == there ? map : map.with(here, there, 1);
    }

    private static FarmException wrong(String option, String why) {
        return new FarmException(ErrorKind.USAGE, "mount -o", option, why);
    }

    ClientConfig client() {
        ClientConfig found = ClientConfig.find(Optional.ofNullable(config));
        ClientConfig asked = found.withAccount(account);
        return node == null ? asked : asked.withNode(node);
    }

    /** Where a supervised process writes down what the next one must know; null: not supervised. */
    @Nullable Path ledger() {
        return ledger;
    }

    /** In which directories this mount decides by itself. */
    enum WriteBehind {
        OFF,
        /** Those that it makes; else it is no mount. */
        BORN,
        /** Also others in which it goes on changing names. */
        ON,
        BORN_WHERE_POSSIBLE;

        /** It was said, and is not to be passed over. */
        boolean isDemanded() {
            return this == BORN || this == ON;
        }
    }

    WriteBehind writeBehind() {
        return writeBehind;
    }

    /** Where metrics and health are shown; null: nowhere. */
    @Nullable HostPort http() {
        return http;
    }

    /** Only to mount, and to become the supervisor then. */
    boolean preparesOnly() {
        return prepare;
    }

    Path directory() {
        if (directory == null) {
            throw new FarmException(ErrorKind.USAGE, "mount", "", "no directory given");
        }
        return directory;
    }

    /**
     * @param everybody root mounts for all users of the machine: as with any disk, set-user bits
     *     count and devices can be opened unless that was ruled out
     */
    MountOptions options(boolean everybody) {
        Set<MountFlag> set = EnumSet.noneOf(MountFlag.class);
        set.addAll(everybody ? Set.of() : options.flags());
        flags.forEach((flag, on) -> {
            if (on) {
                set.add(flag);
            } else {
                set.remove(flag);
            }
        });
        return options.withFlags(set).withAllowOther(everybody || options.allowOther());
    }

    Beliefs.Mode cache() {
        return cache;
    }

    Duration fixed() {
        return fixed;
    }

    boolean usesJnr() {
        return switch (engine) {
            case "linux" -> false;
            case "jnr" -> true;
            default ->
                    throw new FarmException(
                            ErrorKind.USAGE, "mount --engine", engine, "is linux or jnr");
        };
    }

    /** Why local replicas are not handed to the kernel; empty: they are, where it takes them. */
    String noPassthrough(ClientConfig client) {
        if (nopassthrough) {
            return "-o nopassthrough";
        }
        return client.node().isEmpty()
                ? "no storage node of this machine is named (node in the configuration, or -o node=NAME)"
                : "";
    }
}
