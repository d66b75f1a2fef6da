package org.gridfarm.protocol.config;

import org.gridfarm.protocol.auth.x509.SecretFile;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.HostPort;
import org.jspecify.annotations.Nullable;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlTable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * One table of a configuration file, whose keys are asked for by name and type; for one thread.
 *
 * <pre>
 * Settings settings = Config.read(file, config -> new Settings(
 *         config.text("name"),
 *         config.address("listen", new HostPort("127.0.0.1", 0)),
 *         config.section("limits").duration("lease", Duration.ofSeconds(5))));
 * </pre>
 */
public final class Config {
    private final Document document;
    private final String prefix; // "" or "section."
    private final @Nullable TomlTable table; // null: the section is not in the file

    private Config(Document document, String prefix, @Nullable TomlTable table) {
        this.document = document;
        this.prefix = prefix;
        this.table = table;
    }

    /**
     * Reads a file and refuses every key that the reader did not ask for.
     *
     * @throws FarmException BAD_CONFIGURATION, at the line where it went wrong
     */
    public static <T> T read(Path file, Function<Config, T> reader) {
        try {
            return read(Files.readString(file), file, reader);
        } catch (NoSuchFileException e) {
            throw new FarmException(
                    ErrorKind.BAD_CONFIGURATION,
                    "read configuration",
                    file.toString(),
                    "no such file",
                    e);
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.BAD_CONFIGURATION,
                    "read configuration",
                    file.toString(),
                    "cannot be read: " + e.getMessage(),
                    e);
        }
    }

    /**
     * Reads a text as if it were in the file, which names it in messages and anchors relative
     * paths.
     */
    public static <T> T read(String text, Path file, Function<Config, T> reader) {
        TomlParseResult parsed = Toml.parse(text);
        Document document = new Document(file, parsed);
        document.refuseSyntaxErrors();
        T result = reader.apply(new Config(document, "", parsed));
        document.refuseUnknownKeys();
        return result;
    }

    /** A table below this one; if the file has none, it is one without keys. */
    public Config section(String name) {
        Object value = find(name);
        if (value == null) return new Config(document, prefix + name + ".", null);
        if (!(value instanceof TomlTable inner))
            throw wrong(name, "has to be a section: [" + prefix + name + "]");
        return new Config(document, prefix + name + ".", inner);
    }

    /** Names of the tables below this one, in the order of the alphabet. */
    public List<String> sections() {
        if (table == null) return List.of();
        return table.keySet().stream()
                .filter(name -> table.get(List.of(name)) instanceof TomlTable)
                .sorted()
                .toList();
    }

    /** Whether the key stands in the file. */
    public boolean has(String key) {
        return find(key) != null;
    }

    // ---- text

    public String text(String key) {
        return textIfAny(key).orElseThrow(() -> missing(key));
    }

    public String text(String key, String ifAbsent) {
        return textIfAny(key).orElse(ifAbsent);
    }

    /** An empty text counts as absent. */
    public Optional<String> textIfAny(String key) {
        Object value = find(key);
        if (value == null) return Optional.empty();
        if (!(value instanceof String text)) throw wrong(key, "has to be a text in quotes");
        return text.isEmpty() ? Optional.empty() : Optional.of(text);
    }

    /** A list of texts; one text alone is a list of one; absent is empty. */
    public List<String> texts(String key) {
        Object value = find(key);
        if (value == null) return List.of();
        if (value instanceof String text) return text.isEmpty() ? List.of() : List.of(text);
        if (!(value instanceof TomlArray array)) throw wrong(key, "has to be a list of texts");
        List<String> texts = new ArrayList<>();
        for (Object element : array.toList()) {
            if (!(element instanceof String text)) throw wrong(key, "has to be a list of texts");
            texts.add(text);
        }
        return List.copyOf(texts);
    }

    /** One of an enum's names, in small letters with dashes. */
    public <E extends Enum<E>> E choice(String key, E ifAbsent) {
        return convert(
                        key,
                        text -> {
                            String wanted = text.toUpperCase(Locale.ROOT).replace('-', '_');
                            List<String> known = new ArrayList<>();
                            for (E choice : ifAbsent.getDeclaringClass().getEnumConstants()) {
                                if (choice.name().equals(wanted)) return choice;
                                known.add(choice.name().toLowerCase(Locale.ROOT).replace('_', '-'));
                            }
                            throw new IllegalArgumentException(
                                    "'" + text + "' is none of " + String.join(", ", known));
                        })
                .orElse(ifAbsent);
    }

    // ---- numbers

    /** A whole number between the bounds, both included. */
    public long number(String key, long ifAbsent, long min, long max) {
        Object value = find(key);
        if (value == null) return ifAbsent;
        if (!(value instanceof Long number)) throw wrong(key, "has to be a whole number");
        if (number < min || number > max)
            throw wrong(key, number + " is not between " + min + " and " + max);
        return number;
    }

    public int count(String key, int ifAbsent, int min, int max) {
        return (int) number(key, ifAbsent, min, max);
    }

    public double ratio(String key, double ifAbsent, double min, double max) {
        Object value = find(key);
        if (value == null) return ifAbsent;
        double number =
                value instanceof Long whole
                        ? whole
                        : value instanceof Double real ? real : Double.NaN;
        if (!(number >= min && number <= max))
            throw wrong(key, "has to be a number between " + min + " and " + max);
        return number;
    }

    public boolean flag(String key, boolean ifAbsent) {
        Object value = find(key);
        if (value == null) return ifAbsent;
        if (!(value instanceof Boolean flag)) throw wrong(key, "has to be true or false");
        return flag;
    }

    /**
     * A time with its unit: {@code "500ms"}, {@code "2s"}, {@code "10m"}, {@code "12h"}, {@code
     * "7d"}.
     */
    public Duration duration(String key, Duration ifAbsent) {
        return convert(key, Units::duration).orElse(ifAbsent);
    }

    /**
     * A size in bytes, {@code "4096"}, or with a unit of 1024: {@code "64K"}, {@code "16M"}, {@code
     * "1.5G"}, {@code "2T"}.
     */
    public long bytes(String key, long ifAbsent) {
        if (find(key) instanceof Long number && number >= 0) return number;
        return convert(key, Units::bytes).orElse(ifAbsent);
    }

    // ---- places

    /**
     * A path; a relative one starts at the configuration file's folder, {@code ~/} at the home
     * directory.
     */
    public Path path(String key) {
        return pathIfAny(key).orElseThrow(() -> missing(key));
    }

    public Optional<Path> pathIfAny(String key) {
        return convert(key, document::resolve);
    }

    public List<Path> paths(String key) {
        return texts(key).stream().map(document::resolve).toList();
    }

    public HostPort address(String key) {
        return addressIfAny(key).orElseThrow(() -> missing(key));
    }

    public HostPort address(String key, HostPort ifAbsent) {
        return addressIfAny(key).orElse(ifAbsent);
    }

    public Optional<HostPort> addressIfAny(String key) {
        return convert(key, HostPort::parse);
    }

    /** At least one address. */
    public List<HostPort> addresses(String key) {
        List<HostPort> addresses = addressesIfAny(key);
        if (addresses.isEmpty()) throw missing(key);
        return addresses;
    }

    public List<HostPort> addressesIfAny(String key) {
        try {
            return texts(key).stream().map(HostPort::parse).toList();
        } catch (IllegalArgumentException e) {
            throw wrong(key, String.valueOf(e.getMessage()));
        }
    }

    // ---- secrets

    /**
     * The content, without blanks around it, of the file that the key {@code NAME_file} names;
     * refused where others may read the file, and where the secret stands in the configuration
     * itself.
     */
    public Optional<String> secretIfAny(String name) {
        if (find(name) != null)
            throw wrong(
                    name,
                    "a secret does not belong here: put it into a file and write "
                            + name
                            + "_file = \"...\"");
        Optional<Path> file = pathIfAny(name + "_file");
        if (file.isEmpty()) return Optional.empty();
        try {
            return Optional.of(SecretFile.read(file.get()).strip());
        } catch (FarmException e) {
            throw wrong(
                    name + "_file",
                    file.get() + ": " + (e.detail().isEmpty() ? e.kind().phrase() : e.detail()));
        }
    }

    public String secret(String name) {
        return secretIfAny(name).orElseThrow(() -> missing(name + "_file"));
    }

    // ---- refusing

    /** For readers that find fault with a value: BAD_CONFIGURATION at the key's line. */
    public FarmException wrong(String key, String why) {
        return document.failure(prefix + key, why);
    }

    private FarmException missing(String key) {
        return document.failure(
                prefix.isEmpty() ? "" : prefix.substring(0, prefix.length() - 1),
                "'" + prefix + key + "' is missing");
    }

    private <T> Optional<T> convert(String key, Function<String, T> conversion) {
        Optional<String> text = textIfAny(key);
        if (text.isEmpty()) return Optional.empty();
        try {
            return Optional.of(conversion.apply(text.get()));
        } catch (IllegalArgumentException e) {
            throw wrong(key, String.valueOf(e.getMessage()));
        }
    }

    private @Nullable Object find(String key) {
        document.known(prefix + key);
        return table == null ? null : table.get(List.of(key));
    }
}
