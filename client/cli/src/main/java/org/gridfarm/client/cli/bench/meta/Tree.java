package org.gridfarm.client.cli.bench.meta;

import java.io.IOException;

/** Directories of files, by whatever way they are reached. Thread-safe. */
interface Tree {
    void makeDirectory(String directory) throws IOException;

    /** An empty file; durable when it returns. */
    void create(String directory, String name) throws IOException;

    void stat(String directory, String name) throws IOException;

    /** All entries with their attributes; how many there are. */
    long list(String directory) throws IOException;

    void rename(String directory, String from, String to) throws IOException;

    void unlink(String directory, String name) throws IOException;

    void removeDirectory(String directory) throws IOException;
}
