package org.gridfarm.client.cli.gateway;

import org.gridfarm.client.cli.gateway.content.Transfers;
import org.gridfarm.client.cli.gateway.files.PlainFiles;
import org.gridfarm.client.cli.gateway.webhdfs.WebHdfs;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.auth.Current;
import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.tls.WebTls;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.HostPort;

import java.util.Optional;
import java.util.Set;

/** A gateway as it listens. Close ends it and all connections. */
public final class Gateway implements AutoCloseable {
    /** Tokens of the farm at work at a time; more people come by certificate. */
    private static final int TOKENS_MAX = 200;

    /**
     * How a gateway is to run.
     *
     * @param tls empty: in the clear, which is refused but on loopback
     * @param people who is whose certificate, where the gateway acts for all of them; empty: it
     *     acts as who runs it
     * @param names of certificates that are let in where it acts as who runs it
     * @param open everybody is let in, which is refused but on loopback
     * @param token that lets in where it acts as who runs it; empty: none does. Tokens of the farm
     *     let in where it acts for all of them
     * @param http where metrics and health are shown; empty: nowhere
     * @param tokensMax tokens of the farm that may be at work at a time
     */
    public record Settings(
            HostPort listen,
            Optional<WebTls> tls,
            Optional<Current<GridMap>> people,
            Set<String> names,
            boolean open,
            Optional<String> token,
            Optional<HostPort> http,
            int tokensMax) {
        /** With the usual number of tokens at work. */
        public Settings(
                HostPort listen,
                Optional<WebTls> tls,
                Optional<Current<GridMap>> people,
                Set<String> names,
                boolean open,
                Optional<String> token,
                Optional<HostPort> http) {
            this(listen, tls, people, names, open, token, http, TOKENS_MAX);
        }
    }

    private final Running running;

    private Gateway(Running running) {
        this.running = running;
    }

    /**
     * Listens from now on; the farm is asked when somebody comes.
     *
     * @throws FarmException USAGE where the settings would let strangers in, UNAVAILABLE where an
     *     address cannot be had
     */
    public static Gateway start(ClientConfig config, Settings settings) {
        requireSafe(settings);
        Door door =
                new Door(
                        settings.tls(),
                        settings.people().orElse(null),
                        settings.names(),
                        settings.token().orElse(null),
                        settings.open());
        Transfers transfers = Transfers.ofThisProcess();
        return new Gateway(
                Running.start(
                        "gateway",
                        config,
                        settings.listen(),
                        settings.tls(),
                        settings.http(),
                        settings.tokensMax(),
                        ground ->
                                new Rooms(
                                        door,
                                        ground.farms(),
                                        new WebHdfs(transfers),
                                        new PlainFiles(transfers),
                                        ground.reach(),
                                        ground.counted())));
    }

    private static void requireSafe(Settings settings) {
        HostPort listen = settings.listen();
        boolean loopback = ListenRules.isLoopback("gateway", listen);
        if (settings.people().isPresent() && settings.tls().isEmpty()) {
            throw new FarmException(
                    ErrorKind.USAGE,
                    "gateway",
                    listen.toString(),
                    "it acts for whoever shows his certificate, which takes --tls");
        }
        if (loopback) return;
        if (settings.open()) {
            throw new FarmException(
                    ErrorKind.USAGE,
                    "gateway",
                    listen.toString(),
                    "others reach this address: --no-login is for loopback only");
        }
        ListenRules.requireTlsBeyondLoopback("gateway", listen, settings.tls().isPresent());
    }

    /** Without a slash at its end. */
    public String url() {
        return running.url();
    }

    /** Of the endpoint of metrics. */
    public Optional<HostPort> http() {
        return running.http();
    }

    @Override
    public void close() {
        running.close();
    }
}
