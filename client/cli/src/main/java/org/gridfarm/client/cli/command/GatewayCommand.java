package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.gateway.Gateway;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.auth.tls.WebTls;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.observe.AuditLog;
import org.gridfarm.protocol.observe.Readiness;
import org.gridfarm.protocol.rpc.HostPort;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;

@Command(
        name = "gateway",
        header = "Serves files by HTTP: as WebHDFS, and for curl and browsers; until it is ended.",
        description = {
            "",
            "With a certificate that the grid-mapfile calls @gateway it acts as whoever asks, whom his own certificate or proxy",
            "proves (--tls, and [grid] map in the configuration). With a person's it acts as that person, and lets in who has his",
            "certificate, one that --allow names, or the token that it prints.",
            "",
            "Example: gf gateway & curl -H 'Authorization: Bearer TOKEN' http://127.0.0.1:8480/fs/"
        },
        mixinStandardHelpOptions = true)
public final class GatewayCommand implements Callable<Integer> {
    private static final int TOKEN_BYTES = 32;

    @Mixin private FarmOptions options = new FarmOptions();

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:8480",
            description = "where clients come (${DEFAULT-VALUE}); port 0 is any free one")
    private String listen = "";

    @Option(
            names = "--tls",
            description =
                    "by https, with the certificate of the configuration; needed where others reach the address")
    private boolean tls;

    @Option(
            names = "--certificate",
            paramLabel = "FILE",
            description = "certificate and key that clients are shown instead; implies --tls")
    private @Nullable Path certificate;

    @Option(
            names = "--allow",
            paramLabel = "DN",
            description =
                    "let in who has a certificate of this name, such as /O=Grid/CN=Ann, to act as you; may be repeated")
    private List<String> allowed = List.of();

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "the token; without it a new one is made and printed")
    private @Nullable Path tokenFile;

    @Option(names = "--no-login", description = "let in everybody; only on 127.0.0.1")
    private boolean open;

    @Option(
            names = "--http",
            paramLabel = "HOST:PORT",
            description = "metrics and health, for operators")
    private @Nullable String http;

    @Option(
            names = "--audit-log",
            paramLabel = "FILE",
            description = "who was refused (standard error)")
    private @Nullable Path auditLog;

    @Override
    public Integer call() throws InterruptedException {
        ClientConfig config = options.configuration();
        boolean secured = tls || certificate != null;
        WebTls web = config.security().web(Clock.system(), Optional.ofNullable(certificate));
        Optional<String> own = web.nameOf(config.security().credential().chain());
        Optional<Supplier<GridMap>> people =
                config.security().people(Clock.system()).filter(map -> isGateway(own, map.get()));
        Optional<String> token =
                people.isPresent() || open
                        ? Optional.empty()
                        : Optional.of(tokenFile == null ? newToken() : TokenFile.read(tokenFile));
        Set<String> names = new HashSet<>(allowed);
        own.ifPresent(names::add);
        Gateway.Settings settings =
                new Gateway.Settings(
                        address("--listen", listen),
                        secured ? Optional.of(web) : Optional.empty(),
                        people,
                        names,
                        open,
                        token,
                        Optional.ofNullable(http).map(text -> address("--http", text)));
        Runnable audited = AuditLog.to(Optional.ofNullable(auditLog));
        CountDownLatch ended = new CountDownLatch(1);
        try (Gateway gateway = Gateway.start(config, settings)) {
            System.out.println(gateway.url());
            if (tokenFile == null) token.ifPresent(made -> System.out.println("token " + made));
            System.out.flush();
            Readiness.tell();
            // The sessions of its people end with it, and need not run out.
            Runtime.getRuntime().addShutdownHook(new Thread(gateway::close, "gf-gateway-end"));
            ended.await();
        } finally {
            audited.run();
        }
        return 0;
    }

    private static boolean isGateway(Optional<String> own, GridMap map) {
        return own.flatMap(map::lookUp).filter(found -> found.role() == Role.GATEWAY).isPresent();
    }

    private static String newToken() {
        byte[] bytes = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static HostPort address(String option, String text) {
        try {
            return HostPort.parse(text);
        } catch (IllegalArgumentException e) {
            throw new FarmException(
                    ErrorKind.USAGE, "gateway " + option, text, "needs HOST:PORT", e);
        }
    }
}
