package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.doctor.Cure;
import org.gridfarm.client.cli.doctor.MountedPath;
import org.gridfarm.client.cli.operand.Operands;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.LocalPath;
import org.gridfarm.protocol.wire.Candidate;
import org.gridfarm.protocol.wire.ListReplicasRequest;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaProblem;
import org.gridfarm.protocol.wire.ReplicaState;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;

@Command(
        name = "why",
        header = "Says what is wrong with a file, and what helps.",
        description = {
            "",
            "PATH is a file below a mount, or a path in the farm. Tells what failed last for it in that mount, whether",
            "the farm answers, and which of its replicas can be read; of a file that cannot be read, what it waits for and",
            "which nodes have something that may be its content. Exit status 0: nothing is wrong; 1: something is."
        },
        mixinStandardHelpOptions = true)
public final class Why implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Parameters(paramLabel = "PATH")
    private String path = "";

    /** What is wrong, and what to do about it. */
    private record Reason(String text, String cure) {}

    private final List<Reason> reasons = new ArrayList<>();

    @Override
    public Integer call() {
        Optional<MountedPath> mounted = MountedPath.of(LocalPath.of(path));
        FarmPath file =
                mounted.map(MountedPath::inTheFarm).orElseGet(() -> Operands.here().path(path));
        mounted.ifPresent(this::remembered);
        String state = ask(file);
        if (options.json) {
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("path", file.toString());
            document.put("state", state);
            document.put(
                    "reasons",
                    reasons.stream().map(r -> Map.of("text", r.text(), "cure", r.cure())).toList());
            Output.json(document);
        } else {
            System.out.println(file + ": " + state);
            for (Reason reason : reasons) {
                System.out.println("  " + reason.text());
                if (!reason.cure().isEmpty()) {
                    System.out.println("    -> " + reason.cure());
                }
            }
        }
        return reasons.isEmpty() ? 0 : 1;
    }

    private void remembered(MountedPath mounted) {
        try {
            for (MountedPath.Remembered error : mounted.errors()) {
                reasons.add(
                        new Reason(
                                "at "
                                        + error.when()
                                        + " in the mount "
                                        + mounted.mount()
                                        + ": "
                                        + error.text(),
                                Cure.of(error.kind())));
            }
        } catch (FarmException e) {
            reasons.add(
                    new Reason(
                            e.getMessage(),
                            "gf umount --force " + mounted.mount() + ", and mount again"));
        }
    }

    /** How the file stands in the farm. */
    private String ask(FarmPath file) {
        try (Gridfarm farm = options.connect()) {
            FileInfo info = farm.statLink(file);
            if (!info.isRegularFile()) {
                return info.isDirectory() ? "a directory" : "no regular file";
            }
            int least = Integer.MAX_VALUE;
            for (ObjectLocation object : farm.where(file).getObjectsList()) {
                least = Math.min(least, (int) readable(object));
            }
            if (least == Integer.MAX_VALUE) {
                return "empty, " + info.size() + " bytes";
            }
            ReplicaProblem standing = standing(farm, info);
            standing.getWaitsForList()
                    .forEach(text -> reasons.add(new Reason(text, cure(standing))));
            standing.getCandidatesList().forEach(found -> reasons.add(candidate(found)));
            if (least == 0) {
                return standing.getStanding() + ", " + info.size() + " bytes";
            }
            return least
                    + " of "
                    + info.replicasWanted()
                    + " replicas can be read, "
                    + info.size()
                    + " bytes";
        } catch (FarmException e) {
            reasons.add(new Reason(e.getMessage(), Cure.of(e.kind())));
            return "the farm refuses it";
        }
    }

    private static ReplicaProblem standing(Gridfarm farm, FileInfo info) {
        return farm.callLeader(
                        MetadataMethods.LIST_REPLICAS,
                        ListReplicasRequest.newBuilder().setInode(info.inode()).build())
                .getProblems(0);
    }

    private static String cure(ReplicaProblem standing) {
        return switch (standing.getStanding()) {
            case "here" -> "start it if it is down; a copy is made elsewhere by itself";
            case "away" -> "start the node: its copy is used again by itself";
            case "lost" -> "mount the disk that had it and start its node, or restore the file";
            default -> "";
        };
    }

    private static Reason candidate(Candidate found) {
        return new Reason(
                "node "
                        + found.getNode()
                        + " has object "
                        + Long.toHexString(found.getObject().getInode())
                        + "."
                        + found.getObject().getStripe()
                        + "."
                        + Integer.toUnsignedString(found.getObject().getGeneration())
                        + ", "
                        + found.getSize()
                        + " bytes: "
                        + found.getWhat(),
                "");
    }

    private static long readable(ObjectLocation object) {
        return object.getReplicasList().stream()
                .filter(Replica::getLive)
                .filter(replica -> replica.getState() == ReplicaState.VALID)
                .count();
    }
}
