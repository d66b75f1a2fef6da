package org.gridfarm.client.cli.health;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;

/**
 * Codes that are known and accepted on this machine: a file of lines {@code CODE UNTIL}, beside the
 * configuration. One who writes at a time.
 */
public final class Muted {
    private final Path file;

    public Muted(Path file) {
        this.file = file;
    }

    /** Those that still hold at {@code now}, and until when. */
    public Map<HealthCode, Instant> at(Instant now) {
        Map<HealthCode, Instant> codes = new EnumMap<>(HealthCode.class);
        if (!Files.exists(file)) return codes;
        try {
            for (String line : Files.readAllLines(file)) {
                String[] words = line.strip().split("\\s+");
                if (words[0].isEmpty() || words[0].startsWith("#")) continue;
                if (words.length != 2) throw bad(line, null);
                try {
                    Instant until = Instant.parse(words[1]);
                    if (until.isAfter(now)) codes.put(code(words[0]), until);
                } catch (java.time.format.DateTimeParseException e) {
                    throw bad(line, e);
                }
            }
            return codes;
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private FarmException bad(String line, @org.jspecify.annotations.Nullable Exception cause) {
        return new FarmException(
                ErrorKind.BAD_CONFIGURATION,
                "read muted codes",
                file.toString(),
                "not CODE UNTIL: " + line,
                cause);
    }

    public static HealthCode code(String word) {
        for (HealthCode code : HealthCode.values()) {
            if (code.name().equalsIgnoreCase(word)) return code;
        }
        throw new FarmException(
                ErrorKind.USAGE, "health", word, "no such code; gf health --codes lists them");
    }

    public void mute(HealthCode code, Instant until, Instant now) {
        Map<HealthCode, Instant> codes = at(now);
        codes.put(code, until);
        write(codes);
    }

    public void unmute(HealthCode code, Instant now) {
        Map<HealthCode, Instant> codes = at(now);
        codes.remove(code);
        write(codes);
    }

    private void write(Map<HealthCode, Instant> codes) {
        StringBuilder text = new StringBuilder("# Written by gf health --mute: CODE UNTIL\n");
        codes.forEach((code, until) -> text.append(code).append(' ').append(until).append('\n'));
        try {
            Path part = file.resolveSibling(file.getFileName() + ".new");
            Files.writeString(part, text);
            Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private FarmException failed(IOException e) {
        return new FarmException(
                ErrorKind.DISK_FAILED,
                "muted codes",
                file.toString(),
                String.valueOf(e.getMessage()),
                e);
    }
}
