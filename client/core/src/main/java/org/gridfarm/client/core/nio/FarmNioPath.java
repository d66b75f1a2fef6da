package org.gridfarm.client.core.nio;

import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.NameText;
import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * A path as text: components, absolute or not. Immutable. The empty relative path has one empty
 * component, as {@code java.nio.file} wants it.
 */
final class FarmNioPath implements Path {
    /** Of RFC 3986: what a URI need not escape. */
    private static final String UNRESERVED =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private final FarmFileSystem system;
    private final boolean absolute;
    private final List<String> names;

    FarmNioPath(FarmFileSystem system, boolean absolute, List<String> names) {
        this.system = system;
        this.absolute = absolute;
        this.names = names.isEmpty() && !absolute ? List.of("") : List.copyOf(names);
    }

    static FarmNioPath parse(FarmFileSystem system, String text) {
        if (text.indexOf(0) >= 0) {
            throw new InvalidPathException(
                    text.replace('\0', '?'), "NUL is in no name", text.indexOf(0));
        }
        List<String> names = new ArrayList<>();
        for (String part : text.split("/")) {
            if (!part.isEmpty()) {
                names.add(part);
            }
        }
        return new FarmNioPath(system, text.startsWith("/"), names);
    }

    /** Refuses with ClosedFileSystemException. */
    Gridfarm farm() {
        return system.farm();
    }

    List<String> names() {
        return names;
    }

    FarmPath farmPath() {
        return FarmPath.of("/" + String.join("/", names));
    }

    @Override
    public FarmFileSystem getFileSystem() {
        return system;
    }

    @Override
    public boolean isAbsolute() {
        return absolute;
    }

    @Override
    public @Nullable Path getRoot() {
        return absolute ? new FarmNioPath(system, true, List.of()) : null;
    }

    @Override
    public @Nullable Path getFileName() {
        return names.isEmpty() ? null : getName(names.size() - 1);
    }

    @Override
    public @Nullable Path getParent() {
        if (names.isEmpty() || (names.size() == 1 && !absolute)) {
            return null;
        }
        return new FarmNioPath(system, absolute, names.subList(0, names.size() - 1));
    }

    @Override
    public int getNameCount() {
        return names.size();
    }

    @Override
    public Path getName(int index) {
        return subpath(index, index + 1);
    }

    @Override
    public Path subpath(int begin, int end) {
        if (begin < 0 || end > names.size() || begin >= end) {
            throw new IllegalArgumentException(begin + " to " + end + " of " + this);
        }
        return new FarmNioPath(system, false, names.subList(begin, end));
    }

    private FarmNioPath own(Path other) {
        if (other instanceof FarmNioPath own) {
            return own;
        }
        throw new ProviderMismatchException(other + " is not a path in the farm");
    }

    @Override
    public boolean startsWith(Path other) {
        return other instanceof FarmNioPath own
                && own.system == system
                && own.absolute == absolute
                && own.names.size() <= names.size()
                && names.subList(0, own.names.size()).equals(own.names);
    }

    @Override
    public boolean endsWith(Path other) {
        if (!(other instanceof FarmNioPath own) || own.system != system) {
            return false;
        }
        int from = names.size() - own.names.size();
        return own.absolute
                ? equals(own)
                : from >= 0 && names.subList(from, names.size()).equals(own.names);
    }

    @Override
    public Path normalize() {
        List<String> kept = new ArrayList<>();
        for (String name : names) {
            boolean up = name.equals("..");
            if (up && !kept.isEmpty() && !kept.get(kept.size() - 1).equals("..")) {
                kept.remove(kept.size() - 1);
            } else if (!name.equals(".") && !(up && absolute)) {
                kept.add(name);
            }
        }
        return new FarmNioPath(system, absolute, kept);
    }

    private boolean isEmpty() {
        return !absolute && names.size() == 1 && names.get(0).isEmpty();
    }

    @Override
    public Path resolve(Path other) {
        FarmNioPath own = own(other);
        if (own.absolute || isEmpty()) {
            return own;
        }
        if (own.isEmpty()) {
            return this;
        }
        List<String> longer = new ArrayList<>(names);
        longer.addAll(own.names);
        return new FarmNioPath(system, absolute, longer);
    }

    @Override
    public Path relativize(Path other) {
        FarmNioPath own = own(other);
        if (own.absolute != absolute) {
            throw new IllegalArgumentException("one of " + this + " and " + other + " is relative");
        }
        List<String> from = isEmpty() ? List.of() : names;
        List<String> to = own.isEmpty() ? List.of() : own.names;
        int common = 0;
        while (common < from.size()
                && common < to.size()
                && from.get(common).equals(to.get(common))) {
            common++;
        }
        List<String> way = new ArrayList<>();
        for (int i = common; i < from.size(); i++) {
            way.add("..");
        }
        way.addAll(to.subList(common, to.size()));
        return new FarmNioPath(system, false, way);
    }

    @Override
    public URI toUri() {
        StringBuilder uri = new StringBuilder("gf:");
        for (byte b : NameText.bytes(toAbsolutePath().toString())) {
            if (b == '/' || UNRESERVED.indexOf(b) >= 0) {
                uri.append((char) b);
            } else {
                uri.append('%').append(HEX.toHexDigits(b));
            }
        }
        return URI.create(uri.toString());
    }

    /** The path in a URI, byte for byte; what is not escaped is text. */
    static String text(URI uri) {
        String raw = uri.getRawPath();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int at = 0;
        while (at < raw.length()) {
            if (raw.charAt(at) == '%') {
                bytes.write(HexFormat.fromHexDigits(raw, at + 1, at + 3));
                at += 3;
            } else {
                int escape = raw.indexOf('%', at);
                int end = escape < 0 ? raw.length() : escape;
                bytes.writeBytes(NameText.bytes(raw.substring(at, end)));
                at = end;
            }
        }
        return NameText.of(bytes.toByteArray());
    }

    @Override
    public Path toAbsolutePath() {
        return absolute ? this : new FarmNioPath(system, true, isEmpty() ? List.of() : names);
    }

    @Override
    public Path toRealPath(LinkOption... options) throws IOException {
        boolean follow = !Arrays.asList(options).contains(LinkOption.NOFOLLOW_LINKS);
        return FarmFileSystemProvider.call(() -> RealPath.of(this, follow));
    }

    @Override
    public WatchKey register(
            WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers)
            throws IOException {
        return FarmFileSystemProvider.call(
                () -> new Registration(this, events, modifiers).at(watcher));
    }

    @Override
    public int compareTo(Path other) {
        return toString().compareTo(own(other).toString());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof FarmNioPath own
                && own.system == system
                && own.absolute == absolute
                && own.names.equals(names);
    }

    @Override
    public int hashCode() {
        return names.hashCode() * 2 + (absolute ? 1 : 0);
    }

    @Override
    public String toString() {
        return (absolute ? "/" : "") + String.join("/", names);
    }
}
