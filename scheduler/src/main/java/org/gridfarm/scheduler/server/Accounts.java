package org.gridfarm.scheduler.server;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Numeric ids of users as the system of this host knows them (NSS, by way of id(1)). Thread-safe;
 * remembers what it was told.
 */
final class Accounts {
    private final ConcurrentHashMap<String, Account> known = new ConcurrentHashMap<>();

    record Account(int uid, int gid) {}

    /** Refuses with NOT_PERMITTED whom the system does not know. */
    Account of(String user) {
        return known.computeIfAbsent(user, name -> new Account(id("-u", name), id("-g", name)));
    }

    private static int id(String flag, String user) {
        try {
            Process process =
                    new ProcessBuilder("id", flag, "--", user).redirectErrorStream(true).start();
            String output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                            .strip();
            if (process.waitFor() != 0) {
                throw new FarmException(
                        ErrorKind.NOT_PERMITTED,
                        "run as",
                        user,
                        "this host does not know the user: " + output);
            }
            return Integer.parseInt(output);
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.UNAVAILABLE, "run", "id", String.valueOf(e.getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FarmException(ErrorKind.INTERRUPTED, "run", "id", "", e);
        }
    }
}
