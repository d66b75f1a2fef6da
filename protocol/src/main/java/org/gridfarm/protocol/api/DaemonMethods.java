package org.gridfarm.protocol.api;

import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.rpc.Access;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.rpc.Retry;
import org.gridfarm.protocol.wire.TrafficReply;
import org.gridfarm.protocol.wire.TrafficRequest;

/**
 * What metaservers, storage nodes and schedulers all answer. Shapes are in {@code common.proto}.
 */
public final class DaemonMethods {
    /** How much each client has asked of this server. */
    public static final Method<TrafficRequest, TrafficReply> TRAFFIC =
            new Method<>(
                    195,
                    "traffic",
                    TrafficRequest.parser(),
                    TrafficReply.parser(),
                    Retry.IDEMPOTENT,
                    Access.of(Role.ADMIN));

    private DaemonMethods() {}
}
