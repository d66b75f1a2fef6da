package org.gridfarm.test.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;

/** Calls of a {@link ModelProgram} that make, name and remove files. */
final class ModelNames {
    private final ModelDirectory directory;

    ModelNames(ModelDirectory directory) {
        this.directory = directory;
    }

    void create(String name) throws IOException {
        byte[] content = directory.bytes();
        Files.write(
                directory.path(name),
                content,
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.WRITE);
        directory.files.put(name, directory.born(content));
    }

    void replace(String name) throws IOException {
        byte[] content = directory.bytes();
        Path next = Files.write(directory.path("next"), content);
        Files.move(next, directory.path(name), StandardCopyOption.REPLACE_EXISTING);
        goes(name);
        directory.files.put(name, directory.born(content));
    }

    String replaceByAnother(String name) throws IOException {
        String other = directory.any();
        if (directory.file(other) == directory.file(name)) {
            return name; // to rename does nothing then
        }
        Files.move(
                directory.path(name), directory.path(other), StandardCopyOption.REPLACE_EXISTING);
        goes(other);
        moves(name, other);
        return other;
    }

    void makeAgain(String name) throws IOException {
        remove(name);
        create(name);
    }

    String link(String name) throws IOException {
        String to = directory.newName();
        Files.createLink(directory.path(to), directory.path(name));
        directory.file(name).changed();
        directory.files.put(to, directory.file(name));
        return to;
    }

    String rename(String name) throws IOException {
        String to = directory.newName();
        Files.move(directory.path(name), directory.path(to));
        moves(name, to);
        return to;
    }

    /** Refused where the name is taken. */
    List<String> renameToFree(String name) throws IOException {
        String to = directory.any();
        return ModelAttributes.outcome(
                "rename to " + to,
                LinuxCalls.EEXIST,
                () ->
                        LinuxCalls.rename(
                                directory.path(name),
                                directory.path(to),
                                LinuxCalls.RENAME_NOREPLACE));
    }

    void exchange(String name) throws IOException {
        String other = directory.any();
        LinuxCalls.rename(directory.path(name), directory.path(other), LinuxCalls.RENAME_EXCHANGE);
        ModelledFile one = directory.file(name);
        ModelledFile two = directory.file(other);
        one.changed();
        two.changed();
        directory.files.put(name, two);
        directory.files.put(other, one);
    }

    /** Written before it has a name, and perhaps afterwards. */
    void temporary(String name) throws IOException {
        byte[] content = directory.bytes();
        ModelledFile made = directory.born(content);
        try (LinuxCalls.OpenFile file =
                LinuxCalls.open(
                        directory.path(directory.through()),
                        LinuxCalls.O_TMPFILE | LinuxCalls.O_RDWR)) {
            file.write(content, 0);
            file.link(directory.path(name));
            if (directory.random.nextBoolean()) {
                byte[] more = directory.bytes();
                int at = directory.random.nextInt(content.length + 1);
                file.write(more, at);
                made.write(at, more);
            }
        }
        directory.files.put(name, made);
    }

    void remove(String name) throws IOException {
        Files.delete(directory.path(name));
        goes(name);
    }

    /** It may have other names, which show that it has changed. */
    private void goes(String name) {
        Objects.requireNonNull(directory.files.remove(name)).changed();
    }

    private void moves(String name, String to) {
        ModelledFile moved = Objects.requireNonNull(directory.files.remove(name));
        moved.changed();
        directory.files.put(to, moved);
    }
}
