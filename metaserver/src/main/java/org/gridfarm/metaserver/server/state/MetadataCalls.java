package org.gridfarm.metaserver.server.state;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.rpc.Method;

import java.util.List;
import java.util.Set;

/** Every call that others make to a metaserver. */
public final class MetadataCalls {
    public static final List<Method<?, ?>> ALL =
            List.of(
                    MetadataMethods.OPEN_SESSION,
                    MetadataMethods.RENEW,
                    MetadataMethods.CLOSE_SESSION,
                    MetadataMethods.LOOKUP,
                    MetadataMethods.GET_ATTRIBUTES,
                    MetadataMethods.RESOLVE,
                    MetadataMethods.READ_DIRECTORY,
                    MetadataMethods.READ_LINK,
                    MetadataMethods.GET_XATTR,
                    MetadataMethods.LIST_XATTR,
                    MetadataMethods.STAT_FS,
                    MetadataMethods.LOCATE,
                    MetadataMethods.MUTATE,
                    MetadataMethods.SHIP,
                    MetadataMethods.DELEGATE,
                    MetadataMethods.ACCESSED,
                    MetadataMethods.OPEN,
                    MetadataMethods.CLOSE,
                    MetadataMethods.CHAIN_FAILURE,
                    MetadataMethods.REFRESH,
                    MetadataMethods.LOCK,
                    MetadataMethods.TEST_LOCK,
                    MetadataMethods.HELD_LOCKS,
                    MetadataMethods.REGISTER_NODE,
                    MetadataMethods.HEARTBEAT,
                    MetadataMethods.INVENTORY,
                    MetadataMethods.LIST_NODES,
                    MetadataMethods.NODE_CONTROL,
                    MetadataMethods.CLUSTER_STATUS,
                    MetadataMethods.LIST_REPLICAS,
                    MetadataMethods.REPLICATE,
                    MetadataMethods.SPREAD,
                    MetadataMethods.ADMIN,
                    MetadataMethods.SUM,
                    MetadataMethods.ACCOUNT_NUMBERS,
                    MetadataMethods.FOLLOW,
                    MetadataMethods.SNAPSHOT,
                    MetadataMethods.CACHE_LEASE,
                    MetadataMethods.GIVE_BACK,
                    MetadataMethods.FIND_NUMBER);

    /** Answered within microseconds, or with what is decided then: no network thread is held up. */
    public static final Set<Method<?, ?>> SHORT =
            Set.of(
                    MetadataMethods.LOOKUP,
                    MetadataMethods.GET_ATTRIBUTES,
                    MetadataMethods.RESOLVE,
                    MetadataMethods.READ_LINK,
                    MetadataMethods.GET_XATTR,
                    MetadataMethods.LIST_XATTR,
                    MetadataMethods.STAT_FS,
                    MetadataMethods.LOCATE,
                    MetadataMethods.MUTATE,
                    MetadataMethods.OPEN,
                    MetadataMethods.CLOSE,
                    MetadataMethods.REFRESH,
                    MetadataMethods.LOCK,
                    MetadataMethods.TEST_LOCK,
                    MetadataMethods.PREPARE,
                    MetadataMethods.COMMIT);

    private MetadataCalls() {}
}
