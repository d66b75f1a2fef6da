package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.console.ConsoleServer;
import org.gridfarm.client.core.ClientConfig;
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
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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
    @Mixin private FarmOptions options = new FarmOptions();

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:8471",
            description = "where browsers come (${DEFAULT-VALUE}); port 0 is any free one")
    private String listen = "";

    @Option(
            names = "--tls",
            description =
                    "by https, with the certificate of the configuration; needed where others reach the address")
    private boolean tls;

    @Option(
            names = "--certificate",
            paramLabel = "FILE",
            description = "certificate and key that browsers are shown instead; implies --tls")
    private @Nullable Path certificate;

    @Option(
            names = "--allow",
            paramLabel = "DN",
            description =
                    "let in who has a certificate of this name, such as /O=Grid/CN=Ann, besides your own; may be repeated")
    private List<String> allowed = List.of();

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "the token; without it a new one is made and printed")
    private @Nullable Path tokenFile;

    @Option(names = "--no-login", description = "let in everybody; only on 127.0.0.1")
    private boolean open;

    @Option(
            names = "--actions",
            description = "offer to pause balance, mute a health code, and cancel your own jobs")
    private boolean actions;

    @Option(
            names = "--audit-log",
            paramLabel = "FILE",
            description = "who came in and who did what (standard error)")
    private @Nullable Path auditLog;

    @Override
    public Integer call() throws InterruptedException {
        ClientConfig config = options.configuration();
        Optional<WebTls> secured =
                tls || certificate != null
                        ? Optional.of(
                                config.security()
                                        .web(Clock.system(), Optional.ofNullable(certificate)))
                        : Optional.empty();
        Runnable audited = AuditLog.to(Optional.ofNullable(auditLog));
        CountDownLatch ended = new CountDownLatch(1);
        try (ConsoleServer console =
                ConsoleServer.start(
                        config,
                        new ConsoleServer.Settings(
                                address(),
                                secured,
                                names(config, secured),
                                open,
                                actions,
                                token(),
                                options.file().resolveSibling("health-muted")))) {
            System.out.println(
                    console.token()
                            .filter(_ -> tokenFile == null)
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

    /** Those that were named, and one's own. */
    private Set<String> names(ClientConfig config, Optional<WebTls> secured) {
        Set<String> names = new HashSet<>(allowed);
        secured.flatMap(web -> web.nameOf(config.security().credential().chain()))
                .ifPresent(names::add);
        return names;
    }

    private HostPort address() {
        try {
            return HostPort.parse(listen);
        } catch (IllegalArgumentException e) {
            throw new FarmException(
                    ErrorKind.USAGE, "console --listen", listen, "needs HOST:PORT", e);
        }
    }

    private Optional<String> token() {
        return Optional.ofNullable(tokenFile).map(TokenFile::read);
    }
}
