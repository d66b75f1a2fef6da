package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.bench.tls.TlsBench;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.security.GeneralSecurityException;
import java.util.concurrent.Callable;

@Command(
        name = "tls",
        header = "Measures what protection costs: handshakes and bytes, with TLS and without.",
        description = {
            "",
            "Needs no farm: a server and its clients in this process, on loopback, P-256 keys. Both ends share the processors, so a server alone does better."
        },
        mixinStandardHelpOptions = true)
public final class BenchTls implements Callable<Integer> {
    @Option(names = "--json", description = "one JSON document with stable keys on standard output")
    private boolean json;

    @Option(
            names = "--connections",
            defaultValue = "300",
            paramLabel = "COUNT",
            description = "made for each figure (${DEFAULT-VALUE})")
    private int connections;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            defaultValue = "512M",
            description = "read for each figure (${DEFAULT-VALUE})")
    private String size = "";

    @Option(
            names = "--repeat",
            defaultValue = "3",
            description = "repetitions, of which the median is shown (${DEFAULT-VALUE})")
    private int repetitions;

    @Override
    public Integer call() throws GeneralSecurityException {
        long bytes = Administration.bytes(size);
        if (connections < 1 || bytes < 1 << 20 || bytes >> 20 > 1 << 20 || repetitions < 1) {
            throw new FarmException(
                    ErrorKind.USAGE,
                    "bench",
                    "tls",
                    "--connections and --repeat must be at least 1, --size from 1M to 1T");
        }
        new TlsBench(connections, bytes, repetitions, BenchOptions::progress).run().print(json);
        return 0;
    }
}
