package org.gridfarm.client.cli.sync;

import org.gridfarm.protocol.name.Name;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.SortedMap;

/**
 * A tree, in the farm or on this machine. Places are names below its root; the root is the empty
 * list. No call follows a symbolic link in the last place. Thread-safe.
 */
interface Side {
    /** As a user would write it. */
    String text(List<Name> place);

    /** Null: nothing is there. */
    @Nullable Entry find(List<Name> place) throws IOException;

    /** By name. */
    SortedMap<Name, Entry> list(List<Name> directory) throws IOException;

    InputStream read(List<Name> file) throws IOException;

    String linkTarget(List<Name> link) throws IOException;

    // ---- changes

    /** With whatever is missing above the root. */
    void makeDirectory(List<Name> place) throws IOException;

    void makeLink(List<Name> place, String target) throws IOException;

    /** A directory with everything below it. */
    void remove(List<Name> place, Entry there) throws IOException;

    /** Mode and time of modification of a file or directory. */
    void take(List<Name> place, Entry as) throws IOException;
}
