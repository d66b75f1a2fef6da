package org.gridfarm.client.cli.authority;

import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/** Lines of a grid-mapfile. */
public final class MapFile {
    private MapFile() {}

    public static String line(String dn, String target) {
        return '"' + dn.replace("\\", "\\\\").replace("\"", "\\\"") + "\" " + target;
    }

    /**
     * Refuses what {@link #add} would: before a certificate is made that nobody can use.
     *
     * @param file none where the line is only to be one of a grid-mapfile
     * @throws FarmException ALREADY_EXISTS where the name stands for something else
     */
    public static void requireRoom(@Nullable Path file, String dn, String target) {
        Identity wanted = identity(dn, target);
        Optional<Identity> there =
                file != null && Files.exists(file)
                        ? GridMap.load(file).lookUp(dn)
                        : Optional.empty();
        if (there.isPresent() && !there.get().equals(wanted)) {
            throw new FarmException(
                    ErrorKind.ALREADY_EXISTS,
                    "issue",
                    dn,
                    "the name stands for " + there.get().user() + " in " + file);
        }
    }

    /** The line at the end of the file, unless the file says so already. */
    public static void add(Path file, String dn, String target) {
        requireRoom(file, dn, target);
        try {
            String text = Files.exists(file) ? Files.readString(file) : "";
            if (!text.isEmpty() && GridMap.load(file).lookUp(dn).isPresent()) return;
            String end = text.isEmpty() || text.endsWith("\n") ? "" : "\n";
            Files.writeString(
                    file,
                    end + line(dn, target) + "\n",
                    StandardCharsets.UTF_8,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.DISK_FAILED,
                    "add to grid-mapfile",
                    file.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }

    private static Identity identity(String dn, String target) {
        String line = line(dn, target);
        if (!target.matches("\\S+")) {
            throw new FarmException(
                    ErrorKind.USAGE, "issue", target, "neither a name of an account nor of a node");
        }
        try {
            return GridMap.parse(line, "the line").lookUp(dn).orElseThrow();
        } catch (FarmException e) {
            throw new FarmException(ErrorKind.USAGE, "issue", dn, e.detail(), e);
        }
    }
}
