package org.gridfarm.metaserver.server.admin;

import org.gridfarm.metaserver.coherence.ClientCoherence;
import org.gridfarm.metaserver.server.sessions.Sessions;
import org.gridfarm.metaserver.server.state.Caller;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.session.OpenFiles;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.wire.AdminReply;
import org.gridfarm.protocol.wire.AdminRequest;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Who has sessions at the leader, and what each holds: {@code clients}, and with the argument
 * {@code session} what that one has open and under lease. Event thread.
 */
public final class ClientsReport {
    private static final int CLIENTS_MAX = 1_000;
    private static final int ITEMS_MAX = 200;
    private static final int HEXADECIMAL = 16;
    private static final long MILLI = 1_000_000;

    private final FarmState state;
    private final ClientCoherence clients;
    private final Sessions sessions;
    private final OpenFiles files;
    private final Clock clock;

    public ClientsReport(
            FarmState state,
            ClientCoherence clients,
            Sessions sessions,
            OpenFiles files,
            Clock clock) {
        this.state = state;
        this.clients = clients;
        this.sessions = sessions;
        this.files = files;
        this.clock = clock;
    }

    public void register(AdminService admin) {
        admin.toLook("clients", this::answer);
    }

    private void answer(Exchange<AdminRequest, AdminReply> exchange) {
        String asked = exchange.request().getArgumentsOrDefault("session", "");
        exchange.reply(AdminService.reply(asked.isEmpty() ? all() : one(asked)));
    }

    private Map<String, Object> all() {
        List<Caller> callers = sessions.callers();
        long now = clock.nanoTime();
        List<Map<String, Object>> told =
                callers.stream()
                        .map(caller -> document(caller, now))
                        .sorted(Comparator.comparing(ClientsReport::held).reversed())
                        .limit(CLIENTS_MAX)
                        .toList();
        return Map.of("total", callers.size(), "clients", told);
    }

    private static Integer held(Map<String, Object> client) {
        return (Integer) client.getOrDefault("leases", 0);
    }

    private Map<String, Object> document(Caller caller, long now) {
        ClientCoherence.Holding holding = clients.holding(caller.session(), now);
        String from = sessions.from(caller.session());
        List<OpenFiles.Handle> open = files.of(caller.session());
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("session", Long.toHexString(caller.session()));
        document.put("client", caller.client());
        document.put("user", caller.identity().user());
        document.put("who", caller.identity().dn());
        document.put("role", caller.identity().role().name().toLowerCase(java.util.Locale.ROOT));
        document.put("node", caller.attachedNode());
        document.put("from", from == null ? "" : from);
        document.put("leases", holding == null ? 0 : holding.held());
        document.put("recalls_owed", holding == null ? 0 : holding.owed());
        document.put("lease_ms", holding == null ? 0 : holding.leaseNanos() / MILLI);
        document.put("open_files", open.size());
        document.put("open_for_writing", open.stream().filter(OpenFiles.Handle::write).count());
        return document;
    }

    private Map<String, Object> one(String asked) {
        long session = number(asked);
        Caller caller = sessions.caller(session);
        if (caller == null) {
            throw new FarmException(
                    ErrorKind.NOT_FOUND, "clients", asked, "no such session at the leader");
        }
        Map<String, Object> document = document(caller, clock.nanoTime());
        List<Map<String, Object>> open = new ArrayList<>();
        for (OpenFiles.Handle handle : files.of(session).stream().limit(ITEMS_MAX).toList()) {
            open.add(
                    Map.of(
                            "path", state.path(handle.inode()),
                            "inode", handle.inode(),
                            "read", handle.read(),
                            "write", handle.write(),
                            "uid", handle.uid()));
        }
        document.put("open", open);
        document.put("held", clients.heldBy(session, ITEMS_MAX).stream().map(state::path).toList());
        return document;
    }

    private static long number(String text) {
        try {
            return Long.parseUnsignedLong(text, HEXADECIMAL);
        } catch (NumberFormatException e) {
            throw new FarmException(
                    ErrorKind.INVALID, "clients", text, "a session is a hexadecimal number", e);
        }
    }
}
