package org.gridfarm.protocol.config;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** A parsed file and the keys that were asked for; keys are written with dots. */
final class Document {
    private final Path file;
    private final TomlParseResult root;
    private final Set<String> asked = new TreeSet<>();

    Document(Path file, TomlParseResult root) {
        this.file = file;
        this.root = root;
    }

    void known(String key) {
        asked.add(key);
    }

    void refuseSyntaxErrors() {
        if (!root.hasErrors()) return;
        TomlParseError first = root.errors().get(0);
        String why = String.valueOf(first.getMessage());
        throw failure(first.position(), why);
    }

    void refuseUnknownKeys() {
        refuseUnknownKeys(root, "");
    }

    private void refuseUnknownKeys(TomlTable table, String prefix) {
        for (String name : table.keySet()) {
            String key = prefix + name;
            if (table.get(List.of(name)) instanceof TomlTable inner && isSection(key))
                refuseUnknownKeys(inner, key + ".");
            else if (!asked.contains(key))
                throw failure(table.inputPositionOf(List.of(name)), unknown(key));
        }
    }

    /**
     * Whether anything below the key was asked for; a section of which nothing is known is unknown
     * as a whole.
     */
    private boolean isSection(String key) {
        return asked.stream().anyMatch(known -> known.startsWith(key + "."));
    }

    private String unknown(String key) {
        String why = "unknown key '" + key + "'";
        return DidYouMean.nearest(key, asked)
                .map(near -> why + "; did you mean '" + near + "'?")
                .orElse(why);
    }

    Path resolve(String text) {
        try {
            if (text.startsWith("~/"))
                return Path.of(System.getProperty("user.home"), text.substring(2));
            Path folder = file.toAbsolutePath().getParent();
            return (folder == null ? Path.of(text) : folder.resolve(text)).normalize();
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("'" + text + "' is not a path", e);
        }
    }

    FarmException failure(String key, String why) {
        TomlTable table = root;
        @Nullable TomlPosition at = null;
        int from = 0;
        for (int dot = key.indexOf('.'); ; dot = key.indexOf('.', from)) {
            String name = dot < 0 ? key.substring(from) : key.substring(from, dot);
            if (!name.isEmpty() && table.keySet().contains(name))
                at = table.inputPositionOf(List.of(name));
            if (dot < 0 || !(table.get(List.of(name)) instanceof TomlTable inner)) break;
            table = inner;
            from = dot + 1;
        }
        boolean names = key.isEmpty() || why.contains("'" + key);
        return failure(at, names ? why : key + ": " + why);
    }

    private FarmException failure(@Nullable TomlPosition at, String why) {
        String where = at == null ? file.toString() : file + ":" + at.line();
        return new FarmException(ErrorKind.BAD_CONFIGURATION, "read configuration", where, why);
    }
}
