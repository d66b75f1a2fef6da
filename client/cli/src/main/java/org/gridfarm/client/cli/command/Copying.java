package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.copy.Copies;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.util.List;
import java.util.Map;

/** What {@code gf put} and {@code gf get} have in common. */
final class Copying {
    static final int AT_ONCE = 8;

    private Copying() {}

    static void requireCount(String command, int atOnce) {
        if (atOnce < 1) {
            throw new FarmException(
                    ErrorKind.USAGE, command, "-j " + atOnce, "at least one file at a time");
        }
    }

    static void print(List<Copies.Copied> copied) {
        List<Map<String, Object>> files =
                copied.stream()
                        .map(file ->
                                Map.<String, Object>of(
                                        "from",
                                        file.from(),
                                        "to",
                                        file.to(),
                                        "bytes",
                                        file.bytes()))
                        .toList();
        Output.json(Map.of("files", files));
    }
}
