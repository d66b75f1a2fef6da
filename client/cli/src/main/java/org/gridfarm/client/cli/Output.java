package org.gridfarm.client.cli;

import org.gridfarm.protocol.name.NameText;

import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

import java.util.ArrayList;
import java.util.List;

/**
 * How answers are shown: tables for people, one JSON document for programs. Data go to stdout,
 * everything else to stderr.
 */
public final class Output {
    /** What this program is. */
    public static final String VERSION = "gf 0.1.0";

    private static final String[] UNITS = {"B", "K", "M", "G", "T", "P", "E"};

    private Output() {}

    /** A name on a line of its own or in a column: to a terminal it does not end the line. */
    public static String name(String name) {
        return Terminal.OUT ? name.replace('\n', '?') : name;
    }

    /** Loaded only when JSON is asked for. */
    private static final class Json {
        static final ObjectMapper MAPPER = JsonMapper.builder().build();
    }

    public static void json(Object document) {
        System.out.println(NameText.inJson(Json.MAPPER.writeValueAsString(document)));
    }

    public static Table table(String... header) {
        return new Table((Object[]) header);
    }

    /** Columns without a header. */
    public static Table bare() {
        return new Table();
    }

    /** 1536 is 1.5K. */
    public static String bytes(long count) {
        double value = count;
        int unit = 0;
        while (value >= 1024 && unit < UNITS.length - 1) {
            value /= 1024;
            unit++;
        }
        return unit == 0 ? count + "B" : String.format("%.1f%s", value, UNITS[unit]);
    }

    /** Left-aligned columns as wide as their widest cell; numbers to the right. */
    public static final class Table {
        private final List<Object[]> rows = new ArrayList<>();

        private Table(Object... header) {
            if (header.length > 0) {
                rows.add(header);
            }
        }

        public void row(Object... cells) {
            rows.add(cells);
        }

        public void print() {
            int columns = rows.isEmpty() ? 0 : rows.get(0).length;
            int[] widths = new int[columns];
            for (Object[] row : rows) {
                for (int i = 0; i < columns; i++) {
                    widths[i] = Math.max(widths[i], String.valueOf(row[i]).length());
                }
            }
            for (Object[] row : rows) {
                StringBuilder line = new StringBuilder();
                for (int i = 0; i < columns; i++) {
                    String cell = name(String.valueOf(row[i]));
                    String pad = " ".repeat(widths[i] - cell.length());
                    line.append(row[i] instanceof Number ? pad + cell : cell + pad).append("  ");
                }
                System.out.println(line.toString().stripTrailing());
            }
        }
    }
}
