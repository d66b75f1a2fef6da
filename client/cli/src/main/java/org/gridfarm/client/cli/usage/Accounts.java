package org.gridfarm.client.cli.usage;

import org.gridfarm.client.cli.Output;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;

/**
 * Amounts by whose they are, in the order in which these were named first. What was never counted
 * for anybody has no column. For one thread.
 */
public final class Accounts {
    private final List<String> labels;
    private final Map<List<String>, EnumMap<Quantity, Long>> rows = new LinkedHashMap<>();

    /**
     * @param labels what says whose it is, such as {@code user}, or {@code day} and {@code user}
     */
    public Accounts(String... labels) {
        this.labels = List.of(labels);
    }

    /** More of it; the sum counts. */
    public void add(Quantity quantity, long amount, String... whose) {
        rows.computeIfAbsent(List.of(whose), _ -> new EnumMap<>(Quantity.class))
                .merge(quantity, amount, Long::sum);
    }

    private Set<Quantity> counted() {
        Set<Quantity> counted = EnumSet.noneOf(Quantity.class);
        rows.values().forEach(row -> counted.addAll(row.keySet()));
        return counted;
    }

    /** Rounded, in units for people. */
    public void print() {
        Set<Quantity> counted = counted();
        List<String> header = new ArrayList<>();
        labels.forEach(label -> header.add(label.toUpperCase(java.util.Locale.ROOT)));
        counted.forEach(quantity -> header.add(quantity.title()));
        Output.Table table = Output.table(header.toArray(String[]::new));
        rows.forEach((whose, amounts) -> {
            List<Object> cells = new ArrayList<>(whose);
            counted.forEach(quantity ->
                    cells.add(
                            amounts.containsKey(quantity)
                                    ? quantity.shown(amounts.getOrDefault(quantity, 0L))
                                    : "-"));
            table.row(cells.toArray());
        });
        table.print();
    }

    /** One object for each, exact; what was not counted for it is left out. */
    public List<Map<String, Object>> documents() {
        List<Map<String, Object>> documents = new ArrayList<>();
        rows.forEach((whose, amounts) -> {
            Map<String, Object> document = new LinkedHashMap<>();
            for (int i = 0; i < labels.size(); i++) {
                document.put(labels.get(i), whose.get(i));
            }
            amounts.forEach((quantity, amount) -> document.put(quantity.key(), amount));
            documents.add(document);
        });
        return Collections.unmodifiableList(documents);
    }

    /** RFC 4180, with a header; exact, empty where nothing was counted. */
    public String csv() {
        Set<Quantity> counted = counted();
        StringBuilder text = new StringBuilder();
        StringJoiner header = new StringJoiner(",", "", "\r\n");
        labels.forEach(header::add);
        counted.forEach(quantity -> header.add(quantity.key()));
        text.append(header);
        rows.forEach((whose, amounts) -> {
            StringJoiner line = new StringJoiner(",", "", "\r\n");
            whose.forEach(name -> line.add(quoted(name)));
            counted.forEach(quantity ->
                    line.add(
                            amounts.containsKey(quantity)
                                    ? Long.toString(amounts.getOrDefault(quantity, 0L))
                                    : ""));
            text.append(line);
        });
        return text.toString();
    }

    private static String quoted(String field) {
        return field.matches("[^\",\r\n]*") ? field : '"' + field.replace("\"", "\"\"") + '"';
    }
}
