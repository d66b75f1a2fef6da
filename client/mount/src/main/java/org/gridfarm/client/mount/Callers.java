package org.gridfarm.client.mount;

import org.gridfarm.client.mount.fuse.Request;
import org.gridfarm.protocol.wire.Credentials;

import java.util.function.Supplier;

/**
 * On whose behalf a request is made. A trusted mount names the calling process' user and groups;
 * any other acts for its own user, whatever process asks.
 *
 * <p>Groups are read anew for every request that the server checks: a process may change them at
 * any time.
 */
final class Callers {
    private static final Credentials SUPERUSER =
            Credentials.newBuilder().setUid(0).setGid(0).build();

    private final Supplier<Credentials> self;
    private final boolean trusted;
    private final Supplier<Identities> identities;

    /**
     * @param self known once the session stands
     */
    Callers(Supplier<Credentials> self, boolean trusted, Supplier<Identities> identities) {
        this.self = self;
        this.trusted = trusted;
        this.identities = identities;
    }

    Identities identities() {
        return identities.get();
    }

    /** Number of the user, as {@link #of} names him. */
    int user(Request request) {
        return trusted ? identities().users().there(request.uid()) : self.get().getUid();
    }

    Credentials of(Request request) {
        if (!trusted) {
            return self.get();
        }
        Identities now = identities();
        int uid = now.users().there(request.uid());
        int gid = now.groups().there(request.gid());
        if (uid == 0 && gid == 0) {
            return SUPERUSER; // its groups open nothing more
        }
        Credentials.Builder who = Credentials.newBuilder().setUid(uid).setGid(gid);
        for (int group : request.groups()) {
            who.addGroups(now.groups().there(group));
        }
        return who.build();
    }

    /** The mount's own user, for work that no process asked for. */
    Credentials self() {
        return self.get();
    }
}
