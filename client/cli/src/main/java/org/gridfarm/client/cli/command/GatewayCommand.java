package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.gateway.Gateway;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.auth.Current;
import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.auth.tls.WebTls;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.observe.Readiness;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

@Command(
        name = "gateway",
        header = "Serves files by HTTP: as WebHDFS, and for curl and browsers; until it is ended.",
        description = {
            "",
            "With a certificate that the grid-mapfile calls @gateway it acts as whoever asks, whom his own certificate or proxy",
            "proves, or a bearer token of the farm (--tls, and [grid] map in the configuration). With a person's it acts as that person,",
            "and lets in who has his certificate, one that --allow names, or the token that it prints.",
            "",
            "Example: gf gateway & curl -H 'Authorization: Bearer TOKEN' http://127.0.0.1:8480/fs/"
        },
        mixinStandardHelpOptions = true)
public final class GatewayCommand implements Callable<Integer> {
    private static final int TOKEN_BYTES = 32;

    @Mixin private WhichFarm options = new WhichFarm();

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:8480",
            description = "where clients come (${DEFAULT-VALUE}); port 0 is any free one")
    private String listen = "";

    @Mixin private DoorOptions door = new DoorOptions();

    @Option(
            names = "--http",
            paramLabel = "HOST:PORT",
            description = "metrics and health, for operators")
    private @Nullable String http;

    @Override
    public Integer call() throws InterruptedException {
        ClientConfig config = options.configuration();
        WebTls web = door.web(config);
        Optional<String> own = DoorOptions.ownName(config, web);
        Optional<Current<GridMap>> people =
                config.security().people(Clock.system()).filter(map -> isGateway(own, map.get()));
        boolean byToken = people.isEmpty() && !door.isOpen();
        Optional<String> chosen = byToken ? door.token() : Optional.empty();
        Optional<String> made =
                byToken && chosen.isEmpty() ? Optional.of(newToken()) : Optional.empty();
        Gateway.Settings settings =
                new Gateway.Settings(
                        DoorOptions.address("gateway --listen", listen),
                        door.isSecured() ? Optional.of(web) : Optional.empty(),
                        people,
                        door.names(own),
                        door.isOpen(),
                        chosen.or(() -> made),
                        Optional.ofNullable(http)
                                .map(text -> DoorOptions.address("gateway --http", text)));
        Runnable audited = door.audited();
        CountDownLatch ended = new CountDownLatch(1);
        try (Gateway gateway = Gateway.start(config, settings)) {
            System.out.println(gateway.url());
            made.ifPresent(token -> System.out.println("token " + token));
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

    static boolean isGateway(Optional<String> own, GridMap map) {
        return own.flatMap(map::lookUp).filter(found -> found.role() == Role.GATEWAY).isPresent();
    }

    private static String newToken() {
        byte[] bytes = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
