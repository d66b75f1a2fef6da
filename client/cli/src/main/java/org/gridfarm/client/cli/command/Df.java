package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.operand.Operands;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.wire.NodeInfo;
import org.gridfarm.protocol.wire.StatFsReply;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "df",
        header = "Shows space, per node and as the farm sees it.",
        description = {
            "",
            "Space of the farm is divided by the replica level of the directory asked about; available is what can be written there so that each"
                    + " replica lies on another node."
        })
public final class Df implements Callable<Integer> {
    @Mixin private HelpOption help = new HelpOption();

    @Mixin private FarmOptions options = new FarmOptions();

    @Parameters(
            arity = "0..1",
            defaultValue = "/",
            paramLabel = "PATH",
            description = "directory whose replica level counts (${DEFAULT-VALUE})")
    private String path = "/";

    @Option(
            names = {"-h", "--human-readable"},
            description = "as 1.5K, 2.0G, which is so by itself")
    private boolean human;

    @Option(
            names = {"-i", "--inodes"},
            description = "how many files and directories there are")
    private boolean inodes;

    @Option(
            names = {"-b", "--bytes"},
            description = "bytes instead of rounded units")
    private boolean exact;

    @Override
    public Integer call() {
        try (Gridfarm farm = options.connect()) {
            StatFsReply total = farm.space(Operands.here().path(path));
            List<NodeInfo> nodes = farm.nodes();
            if (options.json) {
                Output.json(
                        Map.of(
                                "total", total.getTotal(),
                                "free", total.getFree(),
                                "available", total.getAvailable(),
                                "level", total.getLevel(),
                                "inodes", total.getInodes(),
                                "nodes", nodes.stream().map(Nodes::document).toList()));
                return 0;
            }
            if (inodes) {
                System.out.println(total.getInodes() + " files and directories");
                return 0;
            }
            Output.Table table =
                    Output.table("NODE", "CAPACITY", "USED", "AVAILABLE", "USE%", "STATE");
            for (NodeInfo node : nodes) {
                if (node.getState().equals("removed")) {
                    continue;
                }
                row(
                        table,
                        node.getName(),
                        node.getCapacity(),
                        node.getUsed(),
                        node.getAvailable(),
                        node.getState());
            }
            String level = "at level " + Math.max(1, total.getLevel());
            row(
                    table,
                    "farm",
                    total.getTotal(),
                    total.getTotal() - total.getFree(),
                    total.getAvailable(),
                    level);
            table.print();
        }
        return 0;
    }

    private void row(
            Output.Table table,
            String name,
            long capacity,
            long used,
            long available,
            String state) {
        long percent = used + available == 0 ? 0 : Math.round(100.0 * used / (used + available));
        table.row(name, size(capacity), size(used), size(available), percent + "%", state);
    }

    private String size(long bytes) {
        return exact ? Long.toString(bytes) : Output.bytes(bytes);
    }
}
