package org.gridfarm.client.core.nio;

import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Policy;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The view {@code gf}: {@code replicas}, copies wanted (Integer, may be set); and of regular files
 * {@code nodes}, names of the nodes that have all of it and can be read from now ({@code
 * List<String>}), {@code stripes} (Integer) and {@code stripeUnit} (Long, bytes).
 */
final class ReplicaAttributes {
    static final String VIEW = "gf";
    private static final String REPLICAS = "replicas";

    private final FarmNioPath path;

    ReplicaAttributes(FarmNioPath path) {
        this.path = path;
    }

    Map<String, Object> all() throws IOException {
        return FarmFileSystemProvider.call(() -> {
            FileInfo info = path.farm().stat(path.farmPath());
            Map<String, Object> all = new LinkedHashMap<>();
            all.put(REPLICAS, info.replicasWanted());
            if (info.isRegularFile()) {
                Layout layout = path.farm().where(path.farmPath());
                all.put("nodes", nodes(layout));
                all.put("stripes", layout.getStripeCount());
                all.put("stripeUnit", layout.getStripeUnit());
            }
            return all;
        });
    }

    private static List<String> nodes(Layout layout) {
        Set<String> whole = new LinkedHashSet<>();
        boolean isFirst = true;
        for (ObjectLocation object : layout.getObjectsList()) {
            List<String> here =
                    object.getReplicasList().stream()
                            .filter(ReplicaAttributes::isReadable)
                            .map(Replica::getNode)
                            .toList();
            if (isFirst) {
                whole.addAll(here);
            } else {
                whole.retainAll(here);
            }
            isFirst = false;
        }
        return List.copyOf(whole);
    }

    private static boolean isReadable(Replica replica) {
        boolean isCurrent =
                replica.getState() == ReplicaState.VALID
                        || replica.getState() == ReplicaState.WRITING;
        return replica.getLive() && !replica.getJoining() && isCurrent;
    }

    void set(String name, Object value) throws IOException {
        if (!name.equals(REPLICAS)) {
            throw new IllegalArgumentException(
                    "attribute 'gf:" + name + "' is not there or cannot be set");
        }
        Policy level = Policy.replicas((Integer) value);
        FarmFileSystemProvider.run(() -> path.farm().setPolicy(path.farmPath(), level));
    }
}
