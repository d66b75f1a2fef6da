package org.gridfarm.scheduler.server;

import java.util.concurrent.CompletableFuture;

/** Numeric ids of users. Thread-safe. */
interface Accounts {
    record Account(int uid, int gid) {}

    /**
     * Fails with NOT_PERMITTED for whom the host does not know, with UNAVAILABLE if it cannot say.
     * Never blocks the caller.
     */
    CompletableFuture<Account> of(String user);
}
