package org.gridfarm.client.cli.operand;

import org.gridfarm.protocol.config.Units;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

/** Numbers as people write them: {@code 20}, {@code 4K}, {@code 1.5G}. */
public final class Amount {
    private Amount() {}

    /** At least 0. */
    public static long count(String command, String text) {
        try {
            long count = Units.bytes(text);
            if (count >= 0) {
                return count;
            }
        } catch (IllegalArgumentException e) {
            throw new FarmException(
                    ErrorKind.USAGE, command, text, String.valueOf(e.getMessage()), e);
        }
        throw new FarmException(ErrorKind.USAGE, command, text, "it is less than 0");
    }
}
