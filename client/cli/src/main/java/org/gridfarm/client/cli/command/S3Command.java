package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.gateway.S3Gateway;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.auth.Current;
import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.tls.WebTls;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.observe.AuditLog;
import org.gridfarm.protocol.observe.Readiness;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

@Command(
        name = "s3",
        header = "Serves files as objects of S3, to boto3, the AWS command line and others.",
        description = {
            "",
            "A bucket is a directory, a key the path of a file in it. Each request acts as the account of the access key that it",
            "is signed with: gf s3 key add ACCOUNT makes one.",
            "",
            "Example: gf s3 key add $USER && gf s3 serve --root /data"
        },
        subcommands = S3KeyCommand.class,
        mixinStandardHelpOptions = true)
public final class S3Command {
    @Command(
            name = "serve",
            header = "Listens, until it is ended.",
            description = {
                "",
                "With a certificate that the grid-mapfile calls @gateway it acts as the account of each key; root is none. With a",
                "person's it acts as that person, and takes his keys alone."
            },
            mixinStandardHelpOptions = true)
    int serve(
            @Mixin WhichFarm options,
            @Mixin S3KeysOption keys,
            @Option(
                            names = "--listen",
                            paramLabel = "HOST:PORT",
                            defaultValue = "127.0.0.1:8481",
                            description =
                                    "where clients come (${DEFAULT-VALUE}); port 0 is any free one")
                    String listen,
            @Option(
                            names = "--root",
                            paramLabel = "PATH",
                            defaultValue = "/",
                            description =
                                    "directory in the farm whose directories are the buckets (${DEFAULT-VALUE})")
                    String root,
            @Option(
                            names = "--tls",
                            description =
                                    "by https, with the certificate of the configuration; needed where others reach the address")
                    boolean tls,
            @Option(
                            names = "--certificate",
                            paramLabel = "FILE",
                            description =
                                    "certificate and key that who comes is shown instead; implies --tls")
                    @Nullable Path certificate,
            @Option(
                            names = "--http",
                            paramLabel = "HOST:PORT",
                            description = "metrics and health, for operators")
                    @Nullable String http,
            @Option(
                            names = "--audit-log",
                            paramLabel = "FILE",
                            description = "who was refused (standard error)")
                    @Nullable Path auditLog)
            throws InterruptedException {
        ClientConfig config = options.configuration();
        WebTls web = config.security().web(Clock.system(), Optional.ofNullable(certificate));
        S3Gateway.Settings settings =
                new S3Gateway.Settings(
                        DoorOptions.address("s3 --listen", listen),
                        tls || certificate != null ? Optional.of(web) : Optional.empty(),
                        FarmPath.of(root),
                        keys.file(options),
                        isGateway(config, web),
                        Optional.ofNullable(http)
                                .map(text -> DoorOptions.address("s3 --http", text)));
        Runnable audited = AuditLog.to(Optional.ofNullable(auditLog));
        CountDownLatch ended = new CountDownLatch(1);
        try (S3Gateway gateway = S3Gateway.start(config, settings)) {
            System.out.println(gateway.url());
            System.out.flush();
            Readiness.tell();
            // The sessions of its people end with it, and need not run out.
            Runtime.getRuntime().addShutdownHook(new Thread(gateway::close, "gf-s3-end"));
            ended.await();
        } finally {
            audited.run();
        }
        return 0;
    }

    private static boolean isGateway(ClientConfig config, WebTls web) {
        Optional<Current<GridMap>> map = config.security().people(Clock.system());
        return map.isPresent()
                && GatewayCommand.isGateway(DoorOptions.ownName(config, web), map.get().get());
    }
}
