package org.gridfarm.client.cli.cluster;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The words of a mount that another program is to go on with: {@code --config FILE [OPTION...]
 * DIRECTORY --supervised STATE}.
 */
final class MountWords {
    private static final String CONFIG = "--config";
    private static final String SUPERVISED = "--supervised";

    private MountWords() {}

    /**
     * The configuration stays, since it says who the mount is: its session, and with it all that is
     * open, is nobody else's.
     *
     * @param now of the process that serves, behind its main class
     * @param config that was asked for
     * @param options that were asked for, instead of those that it has
     */
    static List<String> goingOn(List<String> now, Optional<Path> config, List<String> options) {
        List<String> words = new ArrayList<>(now);
        int supervised = words.indexOf(SUPERVISED);
        if (supervised >= 0) words.subList(supervised, supervised + 2).clear();
        int at = words.indexOf(CONFIG);
        Path has = Path.of(words.get(at + 1));
        config.map(Path::toAbsolutePath)
                .filter(asked -> !asked.normalize().equals(has.normalize()))
                .ifPresent(_ -> {
                    throw new FarmException(
                            ErrorKind.INVALID,
                            "mount --upgrade",
                            words.getLast(),
                            "the mount has the configuration "
                                    + has
                                    + ", which it keeps; to give it another, unmount it (gf umount)");
                });
        if (options.isEmpty()) return words;
        List<String> changed = new ArrayList<>(List.of(CONFIG, has.toString()));
        changed.addAll(options);
        changed.add(words.getLast());
        return changed;
    }
}
