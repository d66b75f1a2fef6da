package org.gridfarm.client.mount.fuse;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What the kernel itself sees to on any mount. The words are those of mount(8).
public enum MountFlag {
    READ_ONLY("ro", "rw"),
    /// Set-user and set-group bits, and file capabilities, do not count.
    NO_SUID("nosuid", "suid"),
    /// Device nodes cannot be opened.
    NO_DEV("nodev", "dev"),
    NO_EXEC("noexec", "exec"),
    /// Reading leaves access times as they are.
    NO_ATIME("noatime", "atime"),
    /// Listing leaves access times as they are.
    NO_DIR_ATIME("nodiratime", "diratime");

    private final String word;
    private final String opposite;

    MountFlag(String word, String opposite) {
        this.word = word;
        this.opposite = opposite;
    }

    /// The words that libfuse and its helper know of these flags; listings are up to the mount.
    public static List<String> helperWords(Set<MountFlag> flags) {
        return flags.stream().filter(flag -> flag != NO_DIR_ATIME).map(flag -> flag.word).toList();
    }

    /// The flag that a word sets.
    public static Optional<MountFlag> of(String word) {
        return Arrays.stream(values()).filter(flag -> flag.word.equals(word)).findAny();
    }

    /// The flag that a word takes back.
    public static Optional<MountFlag> opposedBy(String word) {
        return Arrays.stream(values()).filter(flag -> flag.opposite.equals(word)).findAny();
    }
}
