package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.console.ConsoleServer;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.auth.tls.WebTls;
import org.gridfarm.protocol.observe.Readiness;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

@Command(
        name = "console",
        header = "Shows the farm in a web browser, until it is ended.",
        description = {
            "",
            "Nodes, replicas, files and where they are, clients, jobs with a timeline, slow requests, health. It asks as you, and lets in",
            "whoever has the token that it prints, or a certificate whose name is allowed. It only shows, unless --actions is given.",
            "",
            "Example, from a desk to a head node: ssh -L 8471:127.0.0.1:8471 head gf console"
        },
        mixinStandardHelpOptions = true)
public final class Console implements Callable<Integer> {
    @Mixin private WhichFarm options = new WhichFarm();

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:8471",
            description = "where browsers come (${DEFAULT-VALUE}); port 0 is any free one")
    private String listen = "";

    @Mixin private DoorOptions door = new DoorOptions();

    @Option(
            names = "--actions",
            description = "offer to pause balance, mute a health code, and cancel your own jobs")
    private boolean actions;

    @Override
    public Integer call() throws InterruptedException {
        ClientConfig config = options.configuration();
        Optional<WebTls> secured =
                door.isSecured() ? Optional.of(door.web(config)) : Optional.empty();
        Optional<String> chosen = door.token();
        Runnable audited = door.audited();
        CountDownLatch ended = new CountDownLatch(1);
        try (ConsoleServer console =
                ConsoleServer.start(
                        config,
                        new ConsoleServer.Settings(
                                DoorOptions.address("console --listen", listen),
                                secured,
                                door.names(
                                        secured.flatMap(web -> DoorOptions.ownName(config, web))),
                                door.isOpen(),
                                actions,
                                chosen,
                                options.file().resolveSibling("health-muted")))) {
            System.out.println(
                    console.token()
                            .filter(_ -> chosen.isEmpty())
                            .map(token -> console.url() + "?token=" + token)
                            .orElse(console.url()));
            System.out.flush();
            Readiness.tell();
            ended.await();
        } finally {
            audited.run();
        }
        return 0;
    }
}
