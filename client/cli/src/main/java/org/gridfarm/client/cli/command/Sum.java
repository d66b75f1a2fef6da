package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.operand.Operands;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.SumOfReplica;
import org.gridfarm.protocol.wire.SumReply;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "sum",
        header = "Shows the digest of whole files, and verifies their replicas.",
        description = {
            "",
            "The digest is SHA-256 over the size (8 bytes, big-endian) and the CRC32C of each 64 KiB block in order (4 bytes each, the last"
                    + " block as if filled up with zeros); of more than 2 TiB blocks of zeros are left out"
                    + " (docs/decisions/far-out.md); of a striped file SHA-256 over the digests of its objects. Files with the same"
                    + " content and the same striping have the same digest. It is made on the nodes that hold the replicas and kept with the"
                    + " file's metadata until the file changes.",
            "",
            "With --verify every replica is read and compared; what is found bad is made again. Exit status 1: some replica is bad or could"
                    + " not be asked."
        },
        mixinStandardHelpOptions = true)
public final class Sum implements Callable<Integer> {
    private static final Duration READ_MAX = Duration.ofHours(6); // a file may be large

    @Mixin private FarmOptions options = new FarmOptions();

    @Option(names = "--verify", description = "read every replica")
    private boolean verify;

    @Parameters(arity = "1..*", paramLabel = "PATH")
    private List<String> paths = List.of();

    @Override
    public Integer call() {
        List<Map<String, Object>> documents = new ArrayList<>();
        boolean well = true;
        try (Gridfarm farm = options.connect()) {
            for (FarmPath of : Operands.here().paths(farm, paths)) {
                String path = of.toString();
                SumReply reply = farm.sum(of, verify, READ_MAX);
                String digest = HexFormat.of().formatHex(reply.getDigest().toByteArray());
                List<String> bad = new ArrayList<>();
                for (SumOfReplica replica : reply.getReplicasList()) {
                    String why = fault(replica);
                    if (!why.isEmpty()) {
                        bad.add(replica.getNode() + ": " + why);
                    }
                }
                well &= bad.isEmpty();
                Map<String, Object> document = new LinkedHashMap<>();
                document.put("path", path);
                document.put("digest", digest);
                document.put("replicas_read", reply.getReplicasCount());
                document.put("bad", bad);
                documents.add(document);
                if (!options.json) {
                    System.out.println(digest + "  " + path);
                    bad.forEach(line -> System.err.println("gf: " + path + ": " + line));
                }
            }
        }
        if (options.json) {
            Output.json(Map.of("files", documents));
        }
        return well ? 0 : 1;
    }

    private static String fault(SumOfReplica replica) {
        if (!replica.getFailure().isEmpty()) {
            return replica.getFailure();
        }
        if (replica.getBadBlocksCount() > 0) {
            return replica.getBadBlocksCount() + " bad blocks";
        }
        return replica.getDiffers()
                ? "its content is not that which was closed, or differs from other replicas"
                : "";
    }
}
