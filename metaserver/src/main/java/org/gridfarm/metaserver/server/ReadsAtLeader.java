package org.gridfarm.metaserver.server;

import com.google.protobuf.MessageLite;

import org.gridfarm.metaserver.coherence.ClientCoherence;
import org.gridfarm.metaserver.server.files.Delegating;
import org.gridfarm.metaserver.server.state.Batches;
import org.gridfarm.metaserver.server.state.Caller;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.ReadScope;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;

/**
 * Evaluates reads at once, and answers when the last batch that touched what was read is complete.
 * What another session decides about is given back first. Event thread.
 */
record ReadsAtLeader(
        ReadScope.Visibility visibility,
        FarmState state,
        ClientCoherence clients,
        Batches batches,
        Delegating delegating)
        implements Reads.Runner {
    @Override
    public <Q extends MessageLite, R extends MessageLite> void run(
            Exchange<Q, R> exchange, Caller caller, Reads.Read<R> read) {
        long session = caller.session();
        ReadScope scope =
                new ReadScope(
                        visibility,
                        state::delegatedToOther,
                        session,
                        clients.knows(session) ? session : 0);
        Runnable answer;
        try {
            R reply = read.evaluate(scope);
            answer = () -> exchange.reply(reply);
        } catch (FarmException e) {
            answer = () -> exchange.fail(e);
        }
        if (scope.delegated().isEmpty()) {
            batches.afterVisible(scope.blockedBy(), answer);
        } else {
            delegating.giveBack(scope.delegated(), () -> run(exchange, caller, read));
        }
    }
}
