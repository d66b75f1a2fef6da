package org.gridfarm.client.cli.slurm;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

/** Words of /bin/sh. */
final class Shell {
    private static final String MOUNT = "{mount}";

    private Shell() {}

    /** One word, as it is. */
    static String quote(String word) {
        if (word.indexOf('\0') >= 0) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "run",
                    word.replace('\0', '?'),
                    "no word of a command can hold a zero byte");
        }
        return "'" + word.replace("'", "'\\''") + "'";
    }

    /** A path of the farm, below the mount of the node. */
    static String mounted(String path) {
        return "\"$GF_MOUNT\"" + quote(path.equals("/") ? "" : path);
    }

    /** A value in which {@code {mount}} is the mount. */
    static String placed(String value) {
        return quote(value).replace(MOUNT, "'\"$GF_MOUNT\"'");
    }
}
