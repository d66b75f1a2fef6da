package org.gridfarm.metaserver.server.admin;

import com.google.protobuf.ByteString;

import org.gridfarm.metaserver.server.files.Delegating;
import org.gridfarm.metaserver.server.sessions.Sessions;
import org.gridfarm.metaserver.server.state.Caller;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.namespace.Namespace;
import org.gridfarm.namespace.Resolved;
import org.gridfarm.namespace.Visited;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.wire.AdminReply;
import org.gridfarm.protocol.wire.AdminRequest;
import org.gridfarm.protocol.wire.Credentials;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;

/**
 * Who decides about which directories: {@code delegations}, and with the argument {@code paths}
 * which they are; {@code delegations-return} has them given back, or those at and below the
 * argument {@code path}, as when somebody else asks for each. Event thread.
 */
public final class DelegationsReport {
    private static final Credentials SUPERUSER = Credentials.getDefaultInstance();
    private static final int SESSIONS_MAX = 1_000;

    /** Of all sessions together: with names of usual length some 2 MB. */
    private static final int PATHS_MAX = 20_000;

    /** A mount that goes on making directories is given more meanwhile. */
    private static final int ROUNDS_MAX = 8;

    private final FarmState state;
    private final Delegating delegating;
    private final Sessions sessions;
    private final LeaderContext leader;

    public DelegationsReport(
            FarmState state, Delegating delegating, Sessions sessions, LeaderContext leader) {
        this.state = state;
        this.delegating = delegating;
        this.sessions = sessions;
        this.leader = leader;
    }

    public void register(AdminService admin) {
        admin.toLook("delegations", this::answer).on("delegations-return", this::giveBack);
    }

    // ---- looking

    private void answer(Exchange<AdminRequest, AdminReply> exchange) {
        boolean paths = exchange.request().containsArguments("paths");
        int[] left = {PATHS_MAX};
        List<Map<String, Object>> told = new ArrayList<>();
        delegating.holdings().entrySet().stream()
                .sorted(Comparator.comparing(one -> -one.getValue().directories().size()))
                .limit(SESSIONS_MAX)
                .forEach(one -> {
                    Map<String, Object> document = document(one.getKey(), one.getValue());
                    if (paths) document.put("paths", paths(one.getValue(), left));
                    told.add(document);
                });
        exchange.reply(
                AdminService.reply(Map.of("total", state.delegations().size(), "sessions", told)));
    }

    private Map<String, Object> document(long session, Delegating.Holding holding) {
        Caller caller = sessions.caller(session);
        String from = sessions.from(session);
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("session", Long.toHexString(session));
        document.put("client", caller == null ? "" : caller.client());
        document.put("user", caller == null ? "" : caller.identity().user());
        document.put("who", caller == null ? "" : caller.identity().dn());
        document.put("node", caller == null ? "" : caller.attachedNode());
        document.put("from", from == null ? "" : from);
        document.put("directories", holding.directories().size());
        document.put("held_ms", holding.millis());
        document.put("asked_back", holding.askedBack());
        document.put("asked_back_ms", holding.waitMillis());
        document.put("commands", holding.commands());
        document.put("commands_wrong", holding.wrong());
        return document;
    }

    private List<String> paths(Delegating.Holding holding, int[] left) {
        List<String> paths =
                holding.directories().stream().limit(left[0]).map(state::path).toList();
        left[0] -= paths.size();
        return paths;
    }

    // ---- having given back

    private void giveBack(Exchange<AdminRequest, AdminReply> exchange) {
        String path = exchange.request().getArgumentsOrDefault("path", "");
        if (path.isEmpty()) new Returning(exchange, directory -> true).go();
        else new Finding(exchange, path).go();
    }

    private static void answered(Exchange<AdminRequest, AdminReply> exchange, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            exchange.failWith(e);
        }
    }

    /** Walks the path; directories on the way that others decide about are given back first. */
    private final class Finding {
        private final Exchange<AdminRequest, AdminReply> exchange;
        private final String path;
        private int returned;

        Finding(Exchange<AdminRequest, AdminReply> exchange, String path) {
            this.exchange = exchange;
            this.path = path;
        }

        void go() {
            Set<Long> onTheWay = new LinkedHashSet<>();
            Runnable next;
            try {
                long top = walk(onTheWay);
                next = () -> below(top);
            } catch (FarmException e) {
                next = () -> exchange.fail(e);
            }
            if (onTheWay.isEmpty()) {
                next.run();
            } else {
                returned += onTheWay.size();
                delegating.giveBack(onTheWay, () -> answered(exchange, this::go));
            }
        }

        private long walk(Set<Long> onTheWay) {
            Visited visited =
                    new Visited() {
                        @Override
                        public void entry(long directory, ByteString name) {
                            inode(directory);
                        }

                        @Override
                        public void inode(long inode) {
                            long directory = state.delegatedBy(inode);
                            if (directory != 0) onTheWay.add(directory);
                        }
                    };
            ByteString name = ByteString.copyFrom(NameText.bytes(path));
            Resolved found =
                    state.namespace().resolve(Namespace.ROOT, name, true, SUPERUSER, visited);
            if (!found.isFound()) {
                throw new FarmException(ErrorKind.NOT_FOUND, "delegations", path);
            }
            return found.inode();
        }

        private void below(long top) {
            Returning below =
                    new Returning(exchange, directory -> state.namespace().isBelow(directory, top));
            below.returned = returned;
            below.go();
        }
    }

    /** What sessions make known when they give back may have to be given back as well. */
    private final class Returning {
        private final Exchange<AdminRequest, AdminReply> exchange;
        private final LongPredicate meant;
        private int returned;
        private int rounds;

        Returning(Exchange<AdminRequest, AdminReply> exchange, LongPredicate meant) {
            this.exchange = exchange;
            this.meant = meant;
        }

        void go() {
            List<Long> now = new ArrayList<>();
            for (long session : state.delegations().sessions()) {
                state.delegations().heldBy(session).stream().filter(meant::test).forEach(now::add);
            }
            if (!now.isEmpty() && rounds++ < ROUNDS_MAX) {
                returned += now.size();
                delegating.giveBack(now, () -> answered(exchange, this::go));
                return;
            }
            AdminReply reply = AdminService.reply(Map.of("returned", returned, "left", now.size()));
            leader.afterAllSoFar(() -> exchange.reply(reply));
        }
    }
}
