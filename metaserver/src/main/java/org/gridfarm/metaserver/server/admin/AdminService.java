package org.gridfarm.metaserver.server.admin;

import org.gridfarm.metaserver.server.state.Callers;
import org.gridfarm.metaserver.server.state.HandlerTable;
import org.gridfarm.metaserver.server.state.Json;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Audit;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.wire.AdminReply;
import org.gridfarm.protocol.wire.AdminRequest;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** ADMIN at the leader: each command's word and who carries it out. Event thread. */
public final class AdminService {
    /** One command; answers its exchange. */
    public interface Command extends Consumer<Exchange<AdminRequest, AdminReply>> {}

    private final Map<String, Command> commands = new HashMap<>();

    /** For administrators. */
    public AdminService on(String word, Command command) {
        return onForAll(
                word,
                exchange -> {
                    Callers.requireAdministrator(exchange);
                    Audit.done(exchange.peer(), "admin", word);
                    command.accept(exchange);
                });
    }

    /** For administrators, changing nothing: that they look is no act to be noted. */
    public AdminService toLook(String word, Command command) {
        return onForAll(
                word,
                exchange -> {
                    Callers.requireAdministrator(exchange);
                    command.accept(exchange);
                });
    }

    /** Decides itself who may ask what. */
    AdminService onForAll(String word, Command command) {
        commands.put(word, command);
        return this;
    }

    public void register(HandlerTable table) {
        table.on(MetadataMethods.ADMIN, this::admin);
    }

    private void admin(Exchange<AdminRequest, AdminReply> exchange) {
        Command command = commands.get(exchange.request().getCommand());
        if (command == null) {
            throw new FarmException(
                    ErrorKind.UNSUPPORTED, "admin", exchange.request().getCommand());
        }
        command.accept(exchange);
    }

    static AdminReply reply(Object document) {
        return AdminReply.newBuilder().setJson(Json.of(document)).build();
    }
}
