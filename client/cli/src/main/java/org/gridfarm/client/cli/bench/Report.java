package org.gridfarm.client.cli.bench;

import org.gridfarm.client.cli.Output;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The rows of one run: a table for people, or one document for programs. */
public final class Report {
    private final String area;
    private final List<Row> rows = new ArrayList<>();
    private final double loadBefore =
            ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();

    public Report(String area) {
        this.area = area;
    }

    public void add(Row row) {
        rows.add(row);
    }

    /** Of the unit, for a row that has this name; 0 if it was not measured. */
    public double value(String name) {
        return rows.stream()
                .filter(r -> r.name().equals(name))
                .mapToDouble(Row::value)
                .findFirst()
                .orElse(0);
    }

    public void print(boolean json) {
        if (json) {
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("area", area);
            document.put("machine", machine());
            document.put("rows", rows.stream().map(Row::document).toList());
            Output.json(document);
            return;
        }
        Output.Table table =
                Output.table("CASE", "VALUE", "UNIT", "YARDSTICK", "RATIO", "AIM", "MET");
        for (Row row : rows) {
            Double yardstick = row.yardstick();
            Double ratio = row.ratio();
            Boolean met = row.met();
            table.row(
                    row.name(),
                    Figures.plain(row.value()),
                    row.unit(),
                    yardstick == null ? "" : Figures.plain(yardstick),
                    ratio == null ? "" : Figures.plain(ratio),
                    row.aim() == null ? "" : row.aim(),
                    met == null ? "" : met ? "yes" : "no");
        }
        table.print();
    }

    private Map<String, Object> machine() {
        var system = ManagementFactory.getOperatingSystemMXBean();
        return Map.of(
                "cores", system.getAvailableProcessors(),
                "architecture", system.getArch(),
                "system", system.getName() + " " + system.getVersion(),
                "java", Runtime.version().toString(),
                "load_before", loadBefore,
                "load_after", system.getSystemLoadAverage());
    }
}
