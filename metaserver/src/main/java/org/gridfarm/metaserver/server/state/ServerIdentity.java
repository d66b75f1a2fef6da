package org.gridfarm.metaserver.server.state;

import org.gridfarm.metaserver.session.Accounts;
import org.gridfarm.protocol.observe.SlowRequests;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** What this server is to others and what it knows of them. Thread-safe. */
public final class ServerIdentity {
    private final String name;
    private final String address;
    private final Accounts accounts;
    private final Executor blocking;
    private final SlowRequests slow;
    private volatile List<Cluster.Member> members = List.of();

    /**
     * @param address what others dial
     * @param blocking for the few things that may wait, such as asking the host for an account
     * @param slow what took this server long
     */
    public ServerIdentity(
            String name, String address, Accounts accounts, Executor blocking, SlowRequests slow) {
        this.name = name;
        this.address = address;
        this.accounts = accounts;
        this.blocking = blocking;
        this.slow = slow;
    }

    public String name() {
        return name;
    }

    public String address() {
        return address;
    }

    public Accounts accounts() {
        return accounts;
    }

    public Executor blocking() {
        return blocking;
    }

    public SlowRequests slow() {
        return slow;
    }

    /** The metaservers there are, as ZooKeeper last said. */
    public Supplier<List<Cluster.Member>> members() {
        return () -> members;
    }

    public void seen(List<Cluster.Member> now) {
        members = List.copyOf(now);
    }
}
