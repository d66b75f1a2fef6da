package org.gridfarm.scheduler.server;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Users as the system of this host knows them (NSS, by way of id(1)). Remembers what it was told.
 * Each question has a thread of its own, so that one that hangs holds up nobody else's.
 */
final class HostAccounts implements Accounts {
    private static final int ANSWER_SECONDS_MAX = 5;
    private static final List<Path> PROGRAMS = List.of(Path.of("/usr/bin/id"), Path.of("/bin/id"));

    private final ConcurrentHashMap<String, Account> known = new ConcurrentHashMap<>();
    private final Executor threads = Executors.newVirtualThreadPerTaskExecutor();

    @Override
    public CompletableFuture<Account> of(String user) {
        Account account = known.get(user);
        return account != null
                ? CompletableFuture.completedFuture(account)
                : CompletableFuture.supplyAsync(() -> ask(user), threads);
    }

    private Account ask(String user) {
        Account account =
                new Account(
                        ids("-u", user).getFirst(), ids("-g", user).getFirst(), ids("-G", user));
        known.put(user, account);
        return account;
    }

    private static List<Integer> ids(String flag, String user) {
        try {
            String program =
                    PROGRAMS.stream()
                            .filter(Files::isExecutable)
                            .findFirst()
                            .orElseThrow(() -> new IOException("no program " + PROGRAMS.get(0)))
                            .toString();
            Process process =
                    new ProcessBuilder(program, flag, "--", user).redirectErrorStream(true).start();
            if (!process.waitFor(ANSWER_SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException("no answer within " + ANSWER_SECONDS_MAX + " s");
            }
            String output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                            .strip();
            if (process.exitValue() != 0) {
                throw new FarmException(
                        ErrorKind.NOT_PERMITTED,
                        "run as",
                        user,
                        "the scheduler's host has no account of that name (" + output + ")");
            }
            return Arrays.stream(output.split("\\s+")).map(Integer::parseUnsignedInt).toList();
        } catch (IOException | NumberFormatException e) {
            throw new FarmException(
                    ErrorKind.UNAVAILABLE,
                    "look up account",
                    user,
                    String.valueOf(e.getMessage()),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FarmException(ErrorKind.INTERRUPTED, "look up account", user, "", e);
        }
    }
}
