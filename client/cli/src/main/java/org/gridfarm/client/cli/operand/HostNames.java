package org.gridfarm.client.cli.operand;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What this host calls users and groups; a number that it does not know is itself. Thread-safe. */
public final class HostNames {
    private static final long KNOWN_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final Logger log = LoggerFactory.getLogger(HostNames.class);
    private static final HostNames USERS = new HostNames(Path.of("/etc/passwd"));
    private static final HostNames GROUPS = new HostNames(Path.of("/etc/group"));

    private record Names(Map<Integer, String> byNumber, long readAt) {}

    private final Path file;
    private volatile Names known;

    private HostNames(Path file) {
        this.file = file;
        known = new Names(Map.of(), System.nanoTime() - KNOWN_NANOS);
    }

    public static String user(int uid) {
        return USERS.of(uid);
    }

    public static String group(int gid) {
        return GROUPS.of(gid);
    }

    private String of(int number) {
        Names names = known;
        if (System.nanoTime() - names.readAt >= KNOWN_NANOS) {
            names = new Names(read(), System.nanoTime());
            known = names;
        }
        return names.byNumber.getOrDefault(number, Integer.toUnsignedString(number));
    }

    private Map<Integer, String> read() {
        Map<Integer, String> names = new HashMap<>();
        try {
            for (String line :
                    Files.readAllLines(file, java.nio.charset.StandardCharsets.ISO_8859_1)) {
                String[] fields = line.split(":");
                if (fields.length > 2 && fields[2].matches("[0-9]{1,10}")) {
                    names.putIfAbsent(Integer.parseUnsignedInt(fields[2]), fields[0]);
                }
            }
        } catch (IOException e) {
            log.debug("{} cannot be read: numbers are shown instead", file, e);
        }
        return names;
    }
}
