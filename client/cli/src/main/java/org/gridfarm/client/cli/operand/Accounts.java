package org.gridfarm.client.cli.operand;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;

/** Users and groups of this host, by name. */
final class Accounts {
    private static final Path USERS = Path.of("/etc/passwd");
    private static final Path GROUPS = Path.of("/etc/group");

    private Accounts() {}

    /** A number stands for itself. */
    static OptionalInt user(String name) {
        return find(USERS, name);
    }

    static OptionalInt group(String name) {
        return find(GROUPS, name);
    }

    private static OptionalInt find(Path file, String name) {
        if (name.matches("[0-9]{1,10}")) {
            return OptionalInt.of(Integer.parseUnsignedInt(name));
        }
        try {
            for (String line : Files.readAllLines(file, StandardCharsets.ISO_8859_1)) {
                String[] fields = line.split(":", -1);
                if (fields.length > 2 && fields[0].equals(name)) {
                    return OptionalInt.of(Integer.parseUnsignedInt(fields[2]));
                }
            }
            return OptionalInt.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
