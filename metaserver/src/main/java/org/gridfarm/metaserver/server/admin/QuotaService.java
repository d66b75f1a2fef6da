package org.gridfarm.metaserver.server.admin;

import com.google.protobuf.ByteString;

import org.gridfarm.metaserver.coherence.DataTouch;
import org.gridfarm.metaserver.quota.Kind;
import org.gridfarm.metaserver.quota.Quotas;
import org.gridfarm.metaserver.quota.Subject;
import org.gridfarm.metaserver.quota.Usage;
import org.gridfarm.metaserver.server.files.Delegating;
import org.gridfarm.metaserver.server.files.FileOpens;
import org.gridfarm.metaserver.server.state.Callers;
import org.gridfarm.metaserver.server.state.Events;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.metaserver.server.state.ServerIdentity;
import org.gridfarm.namespace.Namespace;
import org.gridfarm.namespace.Resolved;
import org.gridfarm.namespace.Visited;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.wire.AdminReply;
import org.gridfarm.protocol.wire.AdminRequest;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.DataMode;
import org.gridfarm.protocol.wire.QuotaImage;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * {@code gf quota} at the leader: limits, what is used of them, and whether it is counted right.
 */
public final class QuotaService {
    private static final Credentials SUPERUSER = Credentials.getDefaultInstance();

    private final FarmState state;
    private final FileOpens opens;
    private final ServerIdentity identity;
    private final Delegating delegating;
    private final Events events;
    private final LeaderContext leader;

    public QuotaService(
            FarmState state,
            FileOpens opens,
            ServerIdentity identity,
            Delegating delegating,
            Events events,
            LeaderContext leader) {
        this.delegating = delegating;
        this.state = state;
        this.opens = opens;
        this.identity = identity;
        this.events = events;
        this.leader = leader;
    }

    public void register(AdminService admin) {
        admin.onForAll("quota-show", this::show)
                .on("quota-set", this::setAlone)
                .on("quota-check", this::check);
    }

    /** Nobody decides by itself any more: what it makes would be counted too late. */
    private void setAlone(Exchange<AdminRequest, AdminReply> exchange) {
        named(
                exchange,
                who -> delegating.giveBackAll(() -> answered(exchange, () -> set(exchange, who))));
    }

    // ---- whose ------------------------------------------------------------------------------

    /** Finds whom the arguments name; a name of a person may take a moment to look up. */
    private void named(Exchange<AdminRequest, AdminReply> exchange, Consumer<Subject> then) {
        Map<String, String> arguments = exchange.request().getArgumentsMap();
        Kind kind = Kind.of(arguments.getOrDefault("kind", ""));
        String name = arguments.getOrDefault("name", "");
        if (kind == Kind.DIRECTORY) {
            then.accept(new Subject(kind, directory(name)));
        } else if (name.matches("[0-9]{1,10}")) {
            then.accept(new Subject(kind, Long.parseLong(name)));
        } else {
            identity.blocking()
                    .execute(() -> {
                        try {
                            Subject found = new Subject(kind, number(kind, name));
                            events.submit(() -> answered(exchange, () -> then.accept(found)));
                        } catch (RuntimeException e) {
                            exchange.failWith(e);
                        }
                    });
        }
    }

    private static void answered(Exchange<AdminRequest, AdminReply> exchange, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            exchange.failWith(e);
        }
    }

    private long number(Kind kind, String name) {
        return Integer.toUnsignedLong(
                kind == Kind.USER
                        ? identity.accounts().of(name).getUid()
                        : identity.accounts().group(name));
    }

    private long directory(String path) {
        Resolved found =
                state.namespace()
                        .resolve(
                                Namespace.ROOT,
                                ByteString.copyFrom(NameText.bytes(path)),
                                true,
                                SUPERUSER,
                                Visited.NOBODY);
        if (found.inode() == 0) throw new FarmException(ErrorKind.NOT_FOUND, "quota", path);
        if (!state.namespace().isDirectory(found.inode())) {
            throw new FarmException(ErrorKind.NOT_A_DIRECTORY, "quota", path);
        }
        return found.inode();
    }

    // ---- looking ----------------------------------------------------------------------------

    private void show(Exchange<AdminRequest, AdminReply> exchange) {
        if (exchange.request().containsArguments("kind")) {
            named(
                    exchange,
                    subject -> {
                        requireMay(exchange, subject);
                        told(exchange, List.of(subject));
                    });
            return;
        }
        if (exchange.peer().identity().isAdmin()) {
            Set<Subject> all = new LinkedHashSet<>();
            for (QuotaImage limit : state.quotas().limits()) all.add(subject(limit));
            if (exchange.request().containsArguments("all")) {
                all.addAll(state.quotas().usages().keySet());
            }
            told(exchange, all);
        } else {
            told(exchange, own(Callers.of(exchange).own()));
        }
    }

    private static List<Subject> own(Credentials who) {
        List<Subject> own = new ArrayList<>();
        own.add(new Subject(Kind.USER, Integer.toUnsignedLong(who.getUid())));
        own.add(new Subject(Kind.GROUP, Integer.toUnsignedLong(who.getGid())));
        for (int group : who.getGroupsList()) {
            own.add(new Subject(Kind.GROUP, Integer.toUnsignedLong(group)));
        }
        return own;
    }

    /** Of others only administrators are told; of a tree whoever may list its top. */
    private void requireMay(Exchange<AdminRequest, AdminReply> exchange, Subject subject) {
        if (exchange.peer().identity().isAdmin()) return;
        Credentials who = Callers.of(exchange).own();
        boolean may =
                subject.kind() == Kind.DIRECTORY
                        ? state.mayRead(who, subject.id())
                        : own(who).contains(subject);
        if (!may) throw new FarmException(ErrorKind.NOT_PERMITTED, "quota", subject.toString());
    }

    private static Subject subject(QuotaImage limit) {
        return new Subject(Kind.of(limit.getKind()), limit.getId());
    }

    private void told(Exchange<AdminRequest, AdminReply> exchange, Collection<Subject> subjects) {
        AdminReply reply =
                AdminService.reply(
                        Map.of(
                                "quotas",
                                subjects.stream()
                                        .sorted(
                                                Comparator.comparing(Subject::kind)
                                                        .thenComparing(Subject::id))
                                        .map(this::document)
                                        .toList()));
        leader.afterAllSoFar(() -> exchange.reply(reply));
    }

    private Map<String, Object> document(Subject subject) {
        Quotas quotas = state.quotas();
        QuotaImage limit = quotas.limit(subject);
        boolean limited = limit != null;
        QuotaImage l = limit == null ? QuotaImage.getDefaultInstance() : limit;
        Usage used = quotas.usage(subject);
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("kind", subject.kind().text());
        document.put("id", subject.id());
        if (subject.kind() == Kind.DIRECTORY) document.put("path", state.path(subject.id()));
        document.put("limited", limited);
        document.put("bytes", amount(used.logical(), l.getBytesSoft(), l.getBytesHard()));
        document.put("physical", amount(used.physical(), l.getPhysicalSoft(), l.getPhysicalHard()));
        document.put("inodes", amount(used.inodes(), l.getInodesSoft(), l.getInodesHard()));
        document.put("grace_until_seconds", l.getGraceUntil() / 1_000_000_000L);
        long period = l.getGracePeriod() == 0 ? Quotas.GRACE_NANOS : l.getGracePeriod();
        document.put("grace_period_seconds", period / 1_000_000_000L);
        return document;
    }

    private static Map<String, Object> amount(long used, long soft, long hard) {
        Map<String, Object> amount = new LinkedHashMap<>();
        amount.put("used", used);
        amount.put("soft", soft);
        amount.put("hard", hard);
        return amount;
    }

    // ---- setting ----------------------------------------------------------------------------

    private void set(Exchange<AdminRequest, AdminReply> exchange, Subject subject) {
        Map<String, String> arguments = exchange.request().getArgumentsMap();
        QuotaImage limit = state.quotas().limit(subject);
        QuotaImage.Builder image =
                limit == null
                        ? QuotaImage.newBuilder().setKind(subject.kind().text()).setId(subject.id())
                        : limit.toBuilder();
        if (arguments.containsKey("none")) {
            image.setGone(true);
        } else {
            limits(image, arguments);
        }
        // A tree is counted from its first limit on: what it uses is known when that is applied.
        leader.change(List.of(Change.newBuilder().setQuota(image).build()), 0);
        if (!image.getGone()) {
            QuotaImage graced = state.quotas().graced(image.build(), state.nowNanos());
            if (graced.getGraceUntil() != image.getGraceUntil()) {
                leader.change(List.of(Change.newBuilder().setQuota(graced).build()), 0);
            }
        }
        long sequence = leader.openSequence();
        leader.recallData(
                writers(),
                () ->
                        leader.afterCompletion(
                                sequence,
                                () ->
                                        exchange.reply(
                                                AdminService.reply(
                                                        Map.of(
                                                                "quotas",
                                                                List.of(document(subject)))))));
    }

    private static void limits(QuotaImage.Builder image, Map<String, String> arguments) {
        arguments.forEach((key, text) -> {
            switch (key) {
                case "bytes-soft" -> image.setBytesSoft(amount(key, text));
                case "bytes-hard" -> image.setBytesHard(amount(key, text));
                case "physical-soft" -> image.setPhysicalSoft(amount(key, text));
                case "physical-hard" -> image.setPhysicalHard(amount(key, text));
                case "inodes-soft" -> image.setInodesSoft(amount(key, text));
                case "inodes-hard" -> image.setInodesHard(amount(key, text));
                case "grace-seconds" ->
                        image.setGracePeriod(Math.multiplyExact(amount(key, text), 1_000_000_000L));
                case "kind", "name" -> {}
                default -> throw new FarmException(ErrorKind.INVALID, "quota", key, "unknown");
            }
        });
    }

    private static long amount(String key, String text) {
        if (!text.matches("[0-9]{1,18}")) {
            throw new FarmException(ErrorKind.INVALID, "quota", key, text + " is not a number");
        }
        return Long.parseLong(text);
    }

    /** Whoever writes asks again how far its file may grow. */
    private Map<Long, List<DataTouch>> writers() {
        Map<Long, List<DataTouch>> bySession = new HashMap<>();
        for (long inode : state.writtenInodes()) {
            for (long session : opens.files().writers(inode)) {
                bySession
                        .computeIfAbsent(session, s -> new ArrayList<>())
                        .add(
                                new DataTouch(
                                        inode, DataMode.DATA_MODE_UNSPECIFIED.getNumber(), true));
            }
        }
        return bySession;
    }

    // ---- checking ---------------------------------------------------------------------------

    /** Counts everything anew; with {@code repair} the new count holds. */
    private void check(Exchange<AdminRequest, AdminReply> exchange) {
        List<Map<String, Object>> wrong = new ArrayList<>();
        state.quotas()
                .miscounted(state.namespace())
                .forEach((subject, both) -> {
                    Map<String, Object> one = new LinkedHashMap<>();
                    one.put("kind", subject.kind().text());
                    one.put("id", subject.id());
                    one.put("counted", usage(both.get(0)));
                    one.put("true", usage(both.get(1)));
                    wrong.add(one);
                });
        boolean repair = exchange.request().containsArguments("repair");
        if (repair) state.quotas().recount(state.namespace());
        AdminReply reply =
                AdminService.reply(
                        Map.of(
                                "subjects", state.quotas().usages().size(),
                                "wrong", wrong,
                                "repaired", repair));
        leader.afterAllSoFar(() -> exchange.reply(reply));
    }

    private static Map<String, Object> usage(Usage usage) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("bytes", usage.logical());
        document.put("physical", usage.physical());
        document.put("inodes", usage.inodes());
        return document;
    }
}
