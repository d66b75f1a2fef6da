package org.gridfarm.client.cli.sync;

import org.gridfarm.client.cli.copy.Modes;
import org.gridfarm.client.cli.operand.LocalTrees;
import org.gridfarm.protocol.name.LocalPath;
import org.gridfarm.protocol.name.Name;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Below a directory of this machine. */
record LocalSide(Path root) implements Side {
    Path path(List<Name> place) {
        Path path = root;
        for (Name name : place) {
            path = LocalPath.child(path, name);
        }
        return path;
    }

    @Override
    public String text(List<Name> place) {
        return LocalPath.text(path(place));
    }

    @Override
    public @Nullable Entry find(List<Name> place) throws IOException {
        try {
            return entry(path(place));
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private static Entry entry(Path path) throws IOException {
        PosixFileAttributes found =
                Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        Entry.Kind kind =
                found.isRegularFile()
                        ? Entry.Kind.FILE
                        : found.isDirectory()
                                ? Entry.Kind.DIRECTORY
                                : found.isSymbolicLink() ? Entry.Kind.LINK : Entry.Kind.OTHER;
        return new Entry(
                kind,
                found.size(),
                found.lastModifiedTime().toInstant(),
                Modes.of(found.permissions()));
    }

    @Override
    public SortedMap<Name, Entry> list(List<Name> directory) throws IOException {
        SortedMap<Name, Entry> entries = new TreeMap<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(path(directory))) {
            for (Path path : all) {
                entries.put(LocalPath.name(path), entry(path));
            }
        }
        return entries;
    }

    @Override
    public InputStream read(List<Name> file) throws IOException {
        return Files.newInputStream(path(file));
    }

    @Override
    public String linkTarget(List<Name> link) throws IOException {
        return LocalPath.text(Files.readSymbolicLink(path(link)));
    }

    @Override
    public void makeDirectory(List<Name> place) throws IOException {
        Files.createDirectories(path(place));
    }

    @Override
    public void makeLink(List<Name> place, String target) throws IOException {
        Files.createSymbolicLink(path(place), LocalPath.of(target));
    }

    @Override
    public void remove(List<Name> place, Entry there) throws IOException {
        LocalTrees.remove(path(place));
    }

    @Override
    public void take(List<Name> place, Entry as) throws IOException {
        Files.setPosixFilePermissions(path(place), Modes.permissions(as.mode()));
        Files.setLastModifiedTime(path(place), FileTime.from(as.modified()));
    }
}
