package org.gridfarm.client.core.nio;

import org.gridfarm.client.core.FileInfo;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.stream.Stream;

/** The entries of a directory, read page by page. */
final class FarmDirectoryStream implements DirectoryStream<Path> {
    private final Path directory;
    private final Stream<FileInfo> entries;
    private final Filter<? super Path> filter;
    private boolean given;

    FarmDirectoryStream(Path directory, Stream<FileInfo> entries, Filter<? super Path> filter) {
        this.directory = directory;
        this.entries = entries;
        this.filter = filter;
    }

    @Override
    public Iterator<Path> iterator() {
        if (given) {
            throw new IllegalStateException("a directory stream is iterated once");
        }
        given = true;
        Iterator<Path> paths =
                entries.map(entry -> directory.resolve(entry.path().last().toString()))
                        .filter(this::accepted)
                        .iterator();
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                try {
                    return paths.hasNext();
                } catch (FarmException e) {
                    throw new DirectoryIteratorException(e.toIoException());
                }
            }

            @Override
            public Path next() {
                return paths.next();
            }
        };
    }

    private boolean accepted(Path path) {
        try {
            return filter.accept(path);
        } catch (IOException e) {
            throw new DirectoryIteratorException(e);
        }
    }

    @Override
    public void close() {
        entries.close();
    }
}
