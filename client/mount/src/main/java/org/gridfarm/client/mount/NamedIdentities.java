package org.gridfarm.client.mount;

import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.AccountNumbersReply;
import org.gridfarm.protocol.wire.AccountNumbersRequest;
import org.gridfarm.protocol.wire.NamedNumber;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Users and groups by name: who has a name here has the number in the farm that the metaserver's
 * host gives to that name, and the other way round; who has none on one side is nobody. Asked for
 * at the start and every minute again, so that what requests need is in memory. Thread-safe.
 */
final class NamedIdentities implements Supplier<Identities> {
    private static final Logger log = LoggerFactory.getLogger(NamedIdentities.class);
    private static final Duration LOOK_EVERY = Duration.ofMinutes(1);
    private static final long GETENT_SECONDS_MAX = 20;

    /** The names of this host with their numbers, of {@code passwd} or {@code group}. */
    interface HostNames extends Function<String, Map<String, Integer>> {}

    /** The numbers of the farm. */
    interface FarmNames extends Function<AccountNumbersRequest, AccountNumbersReply> {}

    private final Identities given;
    private final HostNames host;
    private final FarmNames farm;
    private volatile Identities known;

    /**
     * @param given what was said by numbers, which counts before names
     */
    NamedIdentities(Identities given, HostNames host, FarmNames farm) {
        this.given = given;
        this.host = host;
        this.farm = farm;
        known = look();
    }

    /** Of this host, looked at as long as the process runs. */
    static NamedIdentities of(Gridfarm farm, Identities given) {
        NamedIdentities names =
                new NamedIdentities(
                        given,
                        NamedIdentities::getent,
                        request -> farm.callLeader(MetadataMethods.ACCOUNT_NUMBERS, request));
        Executors.newSingleThreadScheduledExecutor(
                        Thread.ofPlatform().daemon().name("gf-names").factory())
                .scheduleWithFixedDelay(
                        names::lookOnceMore,
                        LOOK_EVERY.toSeconds(),
                        LOOK_EVERY.toSeconds(),
                        TimeUnit.SECONDS);
        return names;
    }

    @Override
    public Identities get() {
        return known;
    }

    /** What was known stays where nothing can be learned. */
    void lookOnceMore() {
        try {
            known = look();
        } catch (FarmException e) {
            log.warn("users and groups stay as they were: {}", e.getMessage());
        }
    }

    private Identities look() {
        Map<String, Integer> users = host.apply("passwd");
        Map<String, Integer> groups = host.apply("group");
        Map<Integer, Integer> userNumbers = new HashMap<>();
        Map<Integer, Integer> groupNumbers = new HashMap<>();
        for (List<String> names : parts(users)) {
            AccountNumbersReply reply =
                    farm.apply(AccountNumbersRequest.newBuilder().addAllUsers(names).build());
            join(users, reply.getUsersList(), userNumbers);
        }
        for (List<String> names : parts(groups)) {
            AccountNumbersReply reply =
                    farm.apply(AccountNumbersRequest.newBuilder().addAllGroups(names).build());
            join(groups, reply.getGroupsList(), groupNumbers);
        }
        return new Identities(
                given.users().byName(userNumbers), given.groups().byName(groupNumbers));
    }

    private static List<List<String>> parts(Map<String, Integer> names) {
        List<String> all = new ArrayList<>(names.keySet());
        List<List<String>> parts = new ArrayList<>();
        for (int at = 0; at < all.size(); at += MetadataMethods.NAMES_MAX) {
            parts.add(all.subList(at, Math.min(all.size(), at + MetadataMethods.NAMES_MAX)));
        }
        return parts;
    }

    private static void join(
            Map<String, Integer> here, List<NamedNumber> there, Map<Integer, Integer> joined) {
        for (NamedNumber one : there) {
            Integer local = here.get(one.getName());
            if (local != null) joined.putIfAbsent(local, one.getNumber());
        }
    }

    /** Whatever the host uses: files, LDAP. The first line of a number gives its name. */
    private static Map<String, Integer> getent(String table) {
        try {
            Process getent =
                    new ProcessBuilder("getent", table)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            String lines =
                    new String(getent.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            if (!getent.waitFor(GETENT_SECONDS_MAX, TimeUnit.SECONDS) || getent.exitValue() != 0) {
                getent.destroyForcibly();
                throw unknown(table, "getent fails");
            }
            return parse(lines);
        } catch (IOException e) {
            throw unknown(table, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unknown(table, "interrupted");
        }
    }

    /** Lines of {@code NAME:x:NUMBER:...}. */
    static Map<String, Integer> parse(String lines) {
        Map<String, Integer> names = new HashMap<>();
        for (String line : lines.split("\n")) {
            String[] fields = line.split(":");
            if (fields.length > 2 && fields[2].matches("[0-9]{1,9}")) {
                names.putIfAbsent(fields[0], Integer.valueOf(fields[2]));
            }
        }
        return names;
    }

    private static FarmException unknown(String table, String why) {
        return new FarmException(ErrorKind.UNAVAILABLE, "list names of this host", table, why);
    }
}
