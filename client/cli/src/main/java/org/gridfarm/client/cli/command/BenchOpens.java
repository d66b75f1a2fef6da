package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.bench.BenchFarm;
import org.gridfarm.client.cli.bench.opens.OpensBench;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

@Command(
        name = "opens",
        header = "Measures opening files that are there, changing a little and closing them.",
        description = {
            "",
            "Each on the mount and then on the local disk, with files of several sizes: what it costs should follow what is changed, not the size."
                    + " Then what programs do: output of Cactus as it is and by HDF5, 3,000 small files, and writes into a file of the largest size."
                    + " The local directory has to lie on the disk that the attached node keeps its replicas on."
        },
        mixinStandardHelpOptions = true)
public final class BenchOpens implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Mixin private BenchOptions bench = new BenchOptions();

    @Mixin private BenchedMount beside = new BenchedMount();

    @Option(names = "--opens", defaultValue = "50", description = "of each kind (${DEFAULT-VALUE})")
    private int opens;

    @Option(
            names = "--megabytes",
            split = ",",
            defaultValue = "1,64,1024",
            description = "sizes of the files (${DEFAULT-VALUE})")
    private List<Integer> megabytes = List.of();

    @Override
    public Integer call() {
        if (opens < 1 || bench.repetitions < 1 || megabytes.stream().anyMatch(size -> size < 1)) {
            throw new FarmException(
                    ErrorKind.USAGE, "bench", "", "counts and sizes must be above 0");
        }
        try (BenchFarm farm = bench.farm(options)) {
            Path at = beside.mount(farm);
            new OpensBench(
                            new OpensBench.Settings(
                                    at,
                                    beside.local(farm),
                                    megabytes.stream().sorted().toList(),
                                    opens,
                                    bench.repetitions),
                            BenchOptions::progress)
                    .run()
                    .print(options.json);
        } catch (Exception e) {
            throw FarmException.of(e, "bench", "");
        }
        return 0;
    }
}
