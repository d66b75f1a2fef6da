package org.gridfarm.client.cli.gateway;

import org.gridfarm.client.cli.gateway.content.Transfers;
import org.gridfarm.client.cli.gateway.s3.S3;
import org.gridfarm.client.cli.gateway.s3.auth.AccessKeys;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.auth.tls.WebTls;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.rpc.HostPort;

import java.nio.file.Path;
import java.util.Optional;

/** An endpoint of S3 as it listens. Close ends it and all connections. */
public final class S3Gateway implements AutoCloseable {
    /**
     * How it is to run.
     *
     * @param tls empty: in the clear, which is refused but on loopback
     * @param root the directory whose directories are the buckets
     * @param keys the file of access keys
     * @param role it acts as whom a key is of, by the role of a gateway; otherwise it acts as who
     *     runs it, and takes his keys alone
     * @param http where metrics and health are shown; empty: nowhere
     */
    public record Settings(
            HostPort listen,
            Optional<WebTls> tls,
            FarmPath root,
            Path keys,
            boolean role,
            Optional<HostPort> http) {}

    private final Running running;

    private S3Gateway(Running running) {
        this.running = running;
    }

    /**
     * Listens from now on; the farm is asked when somebody comes.
     *
     * @throws FarmException USAGE where others could listen to what is said, BAD_CONFIGURATION
     *     where the keys cannot be used, UNAVAILABLE where an address cannot be had
     */
    public static S3Gateway start(ClientConfig config, Settings settings) {
        ListenRules.requireTlsBeyondLoopback("s3", settings.listen(), settings.tls().isPresent());
        AccessKeys keys = new AccessKeys(settings.keys());
        S3 s3 = new S3(settings.root(), Transfers.ofThisProcess());
        return new S3Gateway(
                Running.start(
                        "s3",
                        config,
                        settings.listen(),
                        settings.tls(),
                        settings.http(),
                        0,
                        ground ->
                                new S3Rooms(
                                        keys,
                                        settings.role(),
                                        ground.farms(),
                                        s3,
                                        ground.counted())));
    }

    /** Without a slash at its end. */
    public String url() {
        return running.url();
    }

    @Override
    public void close() {
        running.close();
    }
}
