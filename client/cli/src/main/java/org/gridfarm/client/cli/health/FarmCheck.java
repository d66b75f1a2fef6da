package org.gridfarm.client.cli.health;

import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.ClusterStatusReply;
import org.gridfarm.protocol.wire.ClusterStatusRequest;
import org.gridfarm.protocol.wire.NodeControlReply;
import org.gridfarm.protocol.wire.NodeControlRequest;
import org.gridfarm.protocol.wire.NodeInfo;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Looks at the farm and, on this machine, at its mounts and the certificate in use. */
public final class FarmCheck {
    private FarmCheck() {}

    /**
     * All findings, the worst first. That the farm cannot be asked is one of them.
     *
     * @throws FarmException BAD_CONFIGURATION or USAGE where that is what is wrong
     */
    public static List<HealthFinding> all(
            ClientConfig config, Supplier<Gridfarm> farm, Instant now) {
        List<HealthFinding> findings = new ArrayList<>(LocalMounts.findings());
        try {
            if (config.security().logIn().isEmpty()) findings.addAll(ofCredential(config, now));
            findings.addAll(ofFarm(farm.get()));
        } catch (FarmException e) {
            if (e.kind() == ErrorKind.BAD_CONFIGURATION || e.kind() == ErrorKind.USAGE) throw e;
            findings.add(FarmHealth.unreachable(e));
        }
        Comparator<HealthFinding> worstFirst =
                Comparator.comparing((HealthFinding f) -> -f.code().severity().status())
                        .thenComparing(HealthFinding::code);
        return findings.stream().sorted(worstFirst).toList();
    }

    private static List<HealthFinding> ofCredential(ClientConfig config, Instant now) {
        Credential credential = config.security().credential();
        return FarmHealth.certificate(
                config.security().certificate().toString(),
                credential.certificate().getNotBefore().toInstant(),
                credential.notAfter(),
                now);
    }

    private static List<HealthFinding> ofFarm(Gridfarm farm) {
        ClusterStatusReply status =
                farm.callLeader(
                        MetadataMethods.CLUSTER_STATUS, ClusterStatusRequest.getDefaultInstance());
        List<NodeInfo> nodes = farm.nodes();
        return FarmHealth.of(status, nodes, drains(farm, nodes));
    }

    private static Map<String, NodeControlReply> drains(Gridfarm farm, List<NodeInfo> nodes) {
        Map<String, NodeControlReply> drains = new TreeMap<>();
        for (NodeInfo node : nodes) {
            if (!node.getState().equals("draining")) continue;
            NodeControlRequest request =
                    NodeControlRequest.newBuilder()
                            .setNode(node.getName())
                            .setAction("status")
                            .build();
            drains.put(node.getName(), farm.callLeader(MetadataMethods.NODE_CONTROL, request));
        }
        return drains;
    }
}
