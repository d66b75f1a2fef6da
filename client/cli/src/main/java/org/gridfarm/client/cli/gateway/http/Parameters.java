package org.gridfarm.client.cli.gateway.http;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The parameters of a query, by names in whatever case. What cannot be understood is refused with
 * INVALID, which names the parameter. Immutable.
 */
public final class Parameters {
    private final String query;
    private final Map<String, List<String>> values;

    private Parameters(String query, Map<String, List<String>> values) {
        this.query = query;
        this.values = values;
    }

    public static Parameters of(@Nullable String query) {
        Map<String, List<String>> values = new LinkedHashMap<>();
        if (query != null && !query.isEmpty()) {
            for (String pair : query.split("&")) {
                int equals = pair.indexOf('=');
                String name = Percent.query(equals < 0 ? pair : pair.substring(0, equals));
                String value = equals < 0 ? "" : Percent.query(pair.substring(equals + 1));
                if (!name.isEmpty()) {
                    values.computeIfAbsent(name.toLowerCase(Locale.ROOT), _ -> new ArrayList<>())
                            .add(value);
                }
            }
        }
        return new Parameters(query == null ? "" : query, values);
    }

    /** As it came. */
    public String query() {
        return query;
    }

    /** Refuses names that nobody asked for, which may be names that were spelt wrong. */
    public void requireOnly(Collection<String> known, String what) {
        for (String name : values.keySet()) {
            if (!known.contains(name)) {
                throw wrong(
                        name,
                        what + " knows " + String.join(", ", known.stream().sorted().toList()));
            }
        }
    }

    public boolean has(String name) {
        return values.containsKey(name);
    }

    public List<String> all(String name) {
        return values.getOrDefault(name, List.of());
    }

    /** Empty where it is not there or has no value; refused where it is there twice. */
    public Optional<String> text(String name) {
        List<String> all = all(name);
        if (all.size() > 1) throw wrong(name, "stands " + all.size() + " times");
        return all.isEmpty() || all.get(0).isEmpty() ? Optional.empty() : Optional.of(all.get(0));
    }

    public String required(String name) {
        return text(name).orElseThrow(() -> wrong(name, "is missing"));
    }

    public boolean flag(String name, boolean usual) {
        String text = text(name).orElse(String.valueOf(usual)).toLowerCase(Locale.ROOT);
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw wrong(name, "is true or false, not " + text);
        };
    }

    /** From least to most. */
    public OptionalLong number(String name, long least, long most) {
        Optional<String> text = text(name);
        if (text.isEmpty() || text.get().equals("null"))
            return OptionalLong.empty(); // as clients of Hadoop say it
        try {
            long number = Long.parseLong(text.get());
            if (number >= least && number <= most) return OptionalLong.of(number);
            throw wrong(
                    name,
                    number < least
                            ? "is at least " + least + ", not " + number
                            : "is at most " + most + ", not " + number);
        } catch (NumberFormatException e) {
            throw new FarmException(
                    ErrorKind.INVALID, "parameter", name, "is a number, not " + text.get(), e);
        }
    }

    public static FarmException wrong(String name, String why) {
        return new FarmException(ErrorKind.INVALID, "parameter", name, why);
    }
}
