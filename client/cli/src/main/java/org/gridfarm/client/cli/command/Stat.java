package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.Attributes;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(name = "stat", header = "Shows all attributes of files.", mixinStandardHelpOptions = true)
public final class Stat implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Option(
            names = {"-L", "--dereference"},
            description = "what a symbolic link leads to")
    private boolean follow;

    @Parameters(arity = "1..*", paramLabel = "PATH")
    private List<String> paths = List.of();

    @Override
    public Integer call() {
        List<Map<String, Object>> documents = new ArrayList<>();
        try (Gridfarm farm = options.connect()) {
            for (String text : paths) {
                FarmPath path = FarmPath.of(text);
                Attributes a = (follow ? farm.stat(path) : farm.statLink(path)).attributes();
                if (options.json) {
                    documents.add(Describe.file(path.toString(), a));
                } else {
                    print(path, a);
                }
            }
        }
        if (options.json) {
            Output.json(Map.of("files", documents));
        }
        return 0;
    }

    private static void print(FarmPath path, Attributes a) {
        System.out.println("  File: " + path);
        System.out.printf(
                "  Size: %d  %s%n Inode: %x  Links: %d  Generation: %d  Replicas: %d%n",
                a.getSize(),
                Describe.type(a.getType()),
                a.getInode(),
                a.getNlink(),
                a.getGeneration(),
                a.getReplicasWanted());
        System.out.printf(
                "Access: (%04o/%s)  Uid: %d/%s  Gid: %d/%s%n",
                a.getMode(),
                Describe.mode(a),
                a.getUid(),
                Describe.user(a.getUid()),
                a.getGid(),
                Describe.group(a.getGid()));
        System.out.println("Access: " + Instant.ofEpochSecond(0, a.getAtime()));
        System.out.println("Modify: " + Instant.ofEpochSecond(0, a.getMtime()));
        System.out.println("Change: " + Instant.ofEpochSecond(0, a.getCtime()));
    }
}
