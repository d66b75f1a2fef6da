package org.gridfarm.protocol.name;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * An absolute path in the farm, normalised: no empty components, "." dropped and ".." resolved as
 * text (the root's parent is the root). At most 4096 bytes. Immutable.
 */
public record FarmPath(List<Name> names) {
    public static final int BYTES_MAX = 4096;
    public static final FarmPath ROOT = new FarmPath(List.of());
    private static final String SCHEME = "gf:";

    public FarmPath {
        names = List.copyOf(names);
    }

    /** Reads "/a/b" or "gf:/a/b". */
    public static FarmPath of(String text) {
        String path = text.startsWith(SCHEME) ? text.substring(SCHEME.length()) : text;
        return of(NameText.bytes(path), text);
    }

    public static FarmPath of(byte[] path) {
        return of(path, NameText.of(path));
    }

    private static FarmPath of(byte[] path, String shown) {
        if (path.length == 0 || path[0] != '/') {
            throw new FarmException(
                    ErrorKind.INVALID, "path", shown, "a path in the farm begins with '/'");
        }
        if (path.length > BYTES_MAX) {
            throw new FarmException(
                    ErrorKind.NAME_TOO_LONG, "path", shown.substring(0, 64) + "...");
        }
        List<Name> names = new ArrayList<>();
        int from = 1;
        for (int i = 1; i <= path.length; i++) {
            if (i == path.length || path[i] == '/') {
                add(names, java.util.Arrays.copyOfRange(path, from, i));
                from = i + 1;
            }
        }
        return new FarmPath(names);
    }

    private static void add(List<Name> names, byte[] part) {
        boolean dot = part.length == 1 && part[0] == '.';
        boolean up = part.length == 2 && part[0] == '.' && part[1] == '.';
        if (up) {
            if (!names.isEmpty()) {
                names.remove(names.size() - 1);
            }
        } else if (part.length > 0 && !dot) {
            names.add(Name.of(part));
        }
    }

    public boolean isRoot() {
        return names.isEmpty();
    }

    /** Last component; the root has none and is refused. */
    public Name last() {
        if (isRoot()) {
            throw new FarmException(ErrorKind.INVALID, "path", "/", "the root has no name");
        }
        return names.get(names.size() - 1);
    }

    public FarmPath parent() {
        return isRoot() ? this : new FarmPath(names.subList(0, names.size() - 1));
    }

    public FarmPath child(Name name) {
        List<Name> longer = new ArrayList<>(names);
        longer.add(name);
        return new FarmPath(longer);
    }

    public FarmPath child(String name) {
        return child(Name.of(name));
    }

    public boolean startsWith(FarmPath other) {
        return names.size() >= other.names.size()
                && names.subList(0, other.names.size()).equals(other.names);
    }

    public byte[] bytes() {
        if (isRoot()) {
            return new byte[] {'/'};
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Name name : names) {
            out.write('/');
            out.writeBytes(name.bytes());
        }
        return out.toByteArray();
    }

    @Override
    public String toString() {
        return NameText.of(bytes());
    }
}
