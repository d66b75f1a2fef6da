package org.gridfarm.client.cli.find;

import org.gridfarm.client.core.FileInfo;
import org.gridfarm.protocol.name.FarmPath;

import java.io.IOException;
import java.time.Instant;
import java.util.List;

/** What {@code gf find} does with what it finds, and asks the farm. */
public interface Actions {
    void print(FileInfo file, String end);

    void list(FileInfo file);

    void delete(FileInfo file);

    /** Runs a program of this host; true: it exited with 0. */
    boolean execute(List<String> command) throws IOException;

    /** Of the file that {@code -newer} names. */
    Instant modified(FarmPath path);
}
