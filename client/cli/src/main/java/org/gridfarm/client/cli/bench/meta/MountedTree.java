package org.gridfarm.client.cli.bench.meta;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;

/** By system calls on a mount. */
final class MountedTree implements Tree {
    private final Path root;

    MountedTree(Path root) {
        this.root = root;
    }

    Path root() {
        return root;
    }

    @Override
    public void makeDirectory(String directory) throws IOException {
        Files.createDirectories(root.resolve(directory));
    }

    @Override
    public void create(String directory, String name) throws IOException {
        Files.createFile(root.resolve(directory).resolve(name));
    }

    @Override
    public void stat(String directory, String name) throws IOException {
        Files.readAttributes(
                root.resolve(directory).resolve(name),
                BasicFileAttributes.class,
                LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public long list(String directory) throws IOException {
        long[] entries = {0};
        Files.walkFileTree(
                root.resolve(directory),
                Set.of(),
                1,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        entries[0]++;
                        return FileVisitResult.CONTINUE;
                    }
                });
        return entries[0];
    }

    @Override
    public void rename(String directory, String from, String to) throws IOException {
        Path at = root.resolve(directory);
        Files.move(at.resolve(from), at.resolve(to));
    }

    @Override
    public void unlink(String directory, String name) throws IOException {
        Files.delete(root.resolve(directory).resolve(name));
    }

    @Override
    public void removeDirectory(String directory) throws IOException {
        Files.delete(root.resolve(directory));
    }
}
