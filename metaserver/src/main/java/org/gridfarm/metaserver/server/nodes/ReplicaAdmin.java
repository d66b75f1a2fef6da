package org.gridfarm.metaserver.server.nodes;

import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.JsonText;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.metaserver.server.state.NodeLink;
import org.gridfarm.metaserver.server.state.ServerIdentity;
import org.gridfarm.metaserver.server.state.ServerLimits;
import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.wire.AdminReply;
import org.gridfarm.protocol.wire.AdminRequest;
import org.gridfarm.protocol.wire.NodeControlCommand;
import org.gridfarm.protocol.wire.NodeImage;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Administration of copies and nodes: balance, and what many nodes are asked at once. Event thread.
 */
public final class ReplicaAdmin {
    private final FarmState state;
    private final BalanceControl balance;
    private final ServerIdentity identity;
    private final LeaderContext leader;

    public ReplicaAdmin(
            FarmState state,
            BalanceControl balance,
            ServerIdentity identity,
            LeaderContext leader) {
        this.identity = identity;
        this.state = state;
        this.balance = balance;
        this.leader = leader;
    }

    /** False: not one of these commands. */
    public boolean answer(Exchange<AdminRequest, AdminReply> exchange) {
        AdminRequest request = exchange.request();
        switch (request.getCommand()) {
            case "balance" -> {
                String json = balance.command(request.getArgumentsMap());
                leader.afterAllSoFar(
                        () -> exchange.reply(AdminReply.newBuilder().setJson(json).build()));
            }
            case "scrub" -> {
                String action = request.getArgumentsOrDefault("action", "status");
                new Asked(exchange, "scrub-" + action).ask();
            }
            case "slow" -> {
                Asked asked = new Asked(exchange, "slow-requests");
                asked.answers.put(identity.name(), identity.slow().json());
                asked.ask();
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    /** One command to one node or all; the answers are gathered until each has come or failed. */
    private final class Asked {
        final Exchange<AdminRequest, AdminReply> exchange;
        final Map<String, String> arguments;
        final String command;
        final Map<String, String> answers = new TreeMap<>();
        int outstanding = 1;

        Asked(Exchange<AdminRequest, AdminReply> exchange, String command) {
            this.exchange = exchange;
            this.arguments = exchange.request().getArgumentsMap();
            this.command = command;
        }

        void ask() {
            String wanted = arguments.getOrDefault("node", "");
            List<String> names = new ArrayList<>();
            for (String name : state.nodes().names()) {
                if (wanted.isEmpty() ? !isRemoved(name) : wanted.equals(name)) names.add(name);
            }
            if (names.isEmpty() && answers.isEmpty()) {
                throw new FarmException(ErrorKind.NOT_FOUND, "node", wanted, "see 'gf nodes'");
            }
            NodeControlCommand.Builder order = NodeControlCommand.newBuilder().setCommand(command);
            String rate = arguments.get("rate");
            if (rate != null) order.putArguments("rate", rate);
            for (String name : names) {
                NodeLink link = leader.node(name);
                if (link == null) {
                    failed(name, "it cannot be reached");
                    continue;
                }
                outstanding++;
                link.call(
                        StorageMethods.NODE_COMMAND,
                        order.build(),
                        ServerLimits.NODE_CALL_DEADLINE,
                        (reply, failure) -> {
                            if (reply != null) answers.put(name, reply.getJson());
                            else if (failure != null) failed(name, failure.getMessage());
                            settled();
                        });
            }
            settled();
        }

        private boolean isRemoved(String node) {
            NodeImage image = state.nodes().image(node);
            return image != null && image.getAdminState().equals("removed");
        }

        private void failed(String node, String why) {
            answers.put(node, new JsonText().put("failure", why).toString());
        }

        private void settled() {
            if (--outstanding > 0) return;
            JsonText nodes = new JsonText();
            answers.forEach(nodes::raw);
            String json = new JsonText().raw("nodes", nodes.toString()).toString();
            exchange.reply(AdminReply.newBuilder().setJson(json).build());
        }
    }
}
