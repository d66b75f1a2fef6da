package org.gridfarm.scheduler.server;

import org.gridfarm.protocol.wire.Credentials;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Numeric ids of users. Thread-safe. */
interface Accounts {
    /**
     * @param groups the supplementary ones
     */
    record Account(int uid, int gid, List<Integer> groups) {
        public Account {
            groups = List.copyOf(groups);
        }

        Credentials credentials() {
            return Credentials.newBuilder().setUid(uid).setGid(gid).addAllGroups(groups).build();
        }
    }

    /**
     * Fails with NOT_PERMITTED for whom the host does not know, with UNAVAILABLE if it cannot say.
     * Never blocks the caller.
     */
    CompletableFuture<Account> of(String user);
}
