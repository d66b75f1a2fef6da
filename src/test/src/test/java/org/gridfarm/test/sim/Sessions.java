package org.gridfarm.test.sim;

import org.gridfarm.metaserver.coherence.ClientCoherence;
import org.gridfarm.metaserver.coherence.Effect;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The sessions' lines at one server, as the product's room of that name. */
final class Sessions {
    private record At(Line line, SimClient client) {}

    private final Node node;
    private final ClientCoherence clients;
    private final Map<Long, At> lines = new HashMap<>();

    Sessions(Node node, ClientCoherence clients) {
        this.node = node;
        this.clients = clients;
    }

    void attach(long session, Line line, SimClient client) {
        At former = lines.put(session, new At(line, client));
        if (former != null && former.line == line) return;
        for (Effect effect : clients.resend(session)) {
            if (effect instanceof Effect.SendRecall recall) send(recall);
        }
    }

    void forget(long session) {
        lines.remove(session);
    }

    void endAll(List<Effect> effects) {
        lines.keySet().forEach(session -> clients.close(session, effects));
        lines.clear();
    }

    void send(Effect.SendRecall recall) {
        At at = lines.get(recall.session());
        if (at != null) at.line.send(node, () -> at.client.recall(at.line, recall));
    }
}
