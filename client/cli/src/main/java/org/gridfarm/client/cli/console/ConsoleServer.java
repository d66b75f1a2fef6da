package org.gridfarm.client.cli.console;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;

import org.gridfarm.client.cli.health.Muted;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.auth.tls.WebTls;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.HostPort;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLParameters;

/** The console as it listens. Close ends it and all connections. */
public final class ConsoleServer implements AutoCloseable {
    private static final int BACKLOG = 64;
    private static final int CLOSE_SECONDS = 0;
    private static final long SAMPLE_SECONDS = 2;
    private static final String CONNECTIONS_MAX = "1000";
    private static final String REQUEST_SECONDS_MAX = "60";

    /**
     * How a console is to run.
     *
     * @param tls empty: in the clear, which is refused but on loopback
     * @param names of certificates that are let in without a token
     * @param open everybody is let in, which is refused but on loopback
     * @param mayAct whether pages offer actions
     * @param muted the file of muted health codes
     */
    public record Settings(
            HostPort listen,
            Optional<WebTls> tls,
            Set<String> names,
            boolean open,
            boolean mayAct,
            Optional<String> token,
            Path muted) {}

    private final HttpServer server;
    private final ExecutorService requests = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Feed feed;
    private final @Nullable String token;
    private final String scheme;
    private final String host;

    private ConsoleServer(
            HttpServer server, Feed feed, @Nullable String token, String scheme, String host) {
        this.server = server;
        this.feed = feed;
        this.token = token;
        this.scheme = scheme;
        this.host = host;
    }

    /**
     * Listens from now on; the farm is asked when somebody looks.
     *
     * @throws FarmException USAGE where the settings would let strangers in, UNAVAILABLE where the
     *     address cannot be had
     */
    public static ConsoleServer start(ClientConfig config, Settings settings) {
        InetSocketAddress address =
                new InetSocketAddress(settings.listen().host(), settings.listen().port());
        requireSafe(settings, address.getAddress());
        System.setProperty("jdk.httpserver.maxConnections", CONNECTIONS_MAX);
        System.setProperty("sun.net.httpserver.maxReqTime", REQUEST_SECONDS_MAX);
        HttpServer server;
        try {
            server =
                    settings.tls().isPresent()
                            ? secured(HttpsServer.create(address, BACKLOG), settings.tls().get())
                            : HttpServer.create(address, BACKLOG);
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.UNAVAILABLE,
                    "listen on",
                    settings.listen().toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
        String token =
                settings.open()
                        ? null
                        : settings.token().orElseGet(() -> Admission.secret(new SecureRandom()));
        Feed feed = new Feed(config);
        ConsoleServer console =
                new ConsoleServer(
                        server,
                        feed,
                        token,
                        settings.tls().isPresent() ? "https" : "http",
                        settings.listen().host());
        console.serve(settings);
        return console;
    }

    private static void requireSafe(Settings settings, @Nullable InetAddress address) {
        if (address == null) {
            throw new FarmException(
                    ErrorKind.USAGE, "console", settings.listen().host(), "no such host");
        }
        if (address.isLoopbackAddress()) return;
        if (settings.open() || settings.tls().isEmpty()) {
            throw new FarmException(
                    ErrorKind.USAGE,
                    "console",
                    settings.listen().toString(),
                    settings.open()
                            ? "others reach this address: --no-login is for loopback only"
                            : "others reach this address: add --tls, or listen on 127.0.0.1 and come through ssh -L");
        }
    }

    private static HttpServer secured(HttpsServer server, WebTls tls) {
        server.setHttpsConfigurator(
                new HttpsConfigurator(tls.context()) {
                    @Override
                    public void configure(HttpsParameters parameters) {
                        SSLParameters wanted = getSSLContext().getDefaultSSLParameters();
                        wanted.setProtocols(new String[] {"TLSv1.3"});
                        wanted.setWantClientAuth(true);
                        parameters.setSSLParameters(wanted);
                    }
                });
        return server;
    }

    private void serve(Settings settings) {
        Traffic traffic = new Traffic();
        Muted muted = new Muted(settings.muted());
        Map<String, View> views =
                Map.of(
                        "/", new OverviewView(feed, traffic, muted),
                        "/nodes", new NodesView(feed),
                        "/replicas", new ReplicasView(feed),
                        "/files", new FilesView(feed),
                        "/file", new FileView(feed),
                        "/clients", new ClientsView(feed),
                        "/jobs", new JobsView(feed),
                        "/job", new JobView(feed),
                        "/slow", new SlowView(feed),
                        "/health", new HealthView(feed, muted));
        Admission admission =
                new Admission(
                        token,
                        settings.names(),
                        settings.open(),
                        settings.mayAct(),
                        System::nanoTime);
        Pages pages = new Pages(views, new Actions(feed, muted), feed.config(), closed);
        server.createContext(
                "/", new Door(admission, settings.tls(), settings.open(), scheme, pages));
        server.setExecutor(requests);
        server.start();
        requests.execute(() -> sample(traffic));
    }

    private void sample(Traffic traffic) {
        try {
            do {
                try {
                    traffic.sample(feed.nodes(), System.nanoTime());
                } catch (FarmException e) {
                    // The pages say it; the charts have a gap.
                    org.slf4j.LoggerFactory.getLogger(ConsoleServer.class)
                            .debug("no sample: {}", e.getMessage());
                }
            } while (!closed.await(SAMPLE_SECONDS, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Without the token. */
    public String url() {
        String shown = host.contains(":") ? "[" + host + "]" : host;
        return scheme + "://" + shown + ":" + server.getAddress().getPort() + "/";
    }

    /** Empty: everybody is let in. */
    public Optional<String> token() {
        return Optional.ofNullable(token);
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(CLOSE_SECONDS);
        requests.shutdownNow();
        feed.close();
    }
}
