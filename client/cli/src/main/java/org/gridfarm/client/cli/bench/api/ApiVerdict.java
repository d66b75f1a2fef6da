package org.gridfarm.client.cli.bench.api;

import org.gridfarm.client.cli.bench.Report;
import org.gridfarm.client.cli.bench.Row;
import org.gridfarm.client.cli.bench.Row.Aim;
import org.gridfarm.client.cli.bench.Samples;

import java.util.List;
import java.util.Set;

/** Sets what was measured beside its yardsticks and aims. */
final class ApiVerdict {
    static final String BARE = "bare disk";
    static final String LIBRARY = "Gridfarm";
    static final String BY_NIO = "NIO";
    static final String LIBRARY_FAR = "Gridfarm from far";
    static final String NIO_FAR = "NIO from far";

    /** Attached to the node of this host, and to none. */
    static final List<String> FARM = List.of(LIBRARY, BY_NIO, LIBRARY_FAR, NIO_FAR);

    static final Set<String> FAR = Set.of(LIBRARY_FAR, NIO_FAR);
    static final Set<String> NIO = Set.of(BY_NIO, NIO_FAR);

    private static final Aim LOCAL = Aim.atLeast(0.95);
    private static final Aim AS_THE_LIBRARY = Aim.atLeast(0.9);
    private static final Aim MANY_AT_ONCE = Aim.atLeast(10);
    private static final Set<String> OF_LARGE_FILES =
            Set.of(
                    Task.SEQUENTIAL_WRITE,
                    Task.SEQUENTIAL_READ,
                    Task.RANDOM_WRITE,
                    Task.RANDOM_READ);

    private final Samples samples;

    ApiVerdict(Samples samples) {
        this.samples = samples;
    }

    static String row(String task, String door) {
        return task + ", " + door;
    }

    Report report() {
        Report report = new Report("api");
        for (String name : samples.names()) {
            String task = name.substring(0, name.lastIndexOf(", "));
            String door = name.substring(task.length() + 2);
            if (door.equals(BARE)) continue;
            Row row = samples.row(name).against(samples.median(row(task, BARE)));
            boolean bound = OF_LARGE_FILES.contains(task) && !FAR.contains(door);
            report.add(bound ? row.aiming(LOCAL) : row);
        }
        for (String task : List.of(Task.STREAM_WRITE, Task.STREAM_READ)) {
            asTheLibrary(report, task, BY_NIO, LIBRARY);
            asTheLibrary(report, task, NIO_FAR, LIBRARY_FAR);
        }
        for (String door : FARM) {
            manyAtOnce(report, door, Task.written(Crew.VIRTUAL), Task.written(Crew.ONE));
            manyAtOnce(report, door, Task.read(Crew.VIRTUAL), Task.read(Crew.ONE));
        }
        return report;
    }

    private void asTheLibrary(Report report, String task, String nio, String library) {
        beside(
                report,
                task + ", " + nio + " beside " + library,
                row(task, nio),
                row(task, library),
                AS_THE_LIBRARY);
    }

    private void manyAtOnce(Report report, String door, String many, String alone) {
        beside(
                report,
                many + " beside " + Crew.ONE.label + ", " + door,
                row(many, door),
                row(alone, door),
                MANY_AT_ONCE);
    }

    /** One case with another one as its yardstick, if both were measured. */
    private void beside(Report report, String name, String of, String yardstick, Aim aim) {
        double value = samples.median(of);
        double measure = samples.median(yardstick);
        if (value == 0 || measure == 0) return;
        report.add(Row.of(name, value, samples.row(of).unit()).against(measure).aiming(aim));
    }
}
