package org.gridfarm.metaserver.namespace;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The invariants of a namespace at rest: every entry leads to an inode, link counts are the counted
 * names, directories have one name, which is in their parent, everything but orphans can be reached
 * from the root.
 */
final class Check {
    private final Namespace state;
    private final int limit;
    private final List<String> found = new ArrayList<>();
    private final Map<Long, Integer> names = new HashMap<>();

    Check(Namespace state, int limit) {
        this.state = state;
        this.limit = limit;
    }

    List<String> run() {
        if (!state.isDirectory(Namespace.ROOT)) {
            say("there is no root directory");
        }
        state.forEachInode(this::checkEntries);
        state.forEachInode(this::checkInode);
        return found;
    }

    private void checkEntries(Inode directory) {
        if (!directory.isDirectory()) {
            return;
        }
        int subdirectories = 0;
        Entries entries = directory.entries();
        for (int i = 0; i < entries.end(); i++) {
            Entry entry = entries.at(i);
            if (entry == null) {
                continue;
            }
            String shown = Names.text(entry.name) + " in " + Names.text(directory.number);
            if (!entry.inode.exists()) {
                say("name " + shown + " leads to no inode");
                continue;
            }
            names.merge(entry.inode.number, 1, Integer::sum);
            if (entry.inode.isDirectory()) {
                subdirectories++;
                if (entry.inode.parent != directory.number) {
                    say(
                            "directory "
                                    + shown
                                    + " believes to be in "
                                    + Names.text(entry.inode.parent));
                }
            }
        }
        if (directory.nlink != subdirectories + 2) {
            say(
                    Names.text(directory.number)
                            + " has link count "
                            + directory.nlink
                            + ", not "
                            + (subdirectories + 2));
        }
    }

    private void checkInode(Inode inode) {
        int counted = names.getOrDefault(inode.number, 0);
        if (inode.isDirectory()) {
            if (inode.number != Namespace.ROOT && counted != 1) {
                say("directory " + Names.text(inode.number) + " has " + counted + " names");
            } else if (!state.isWithin(inode, state.require(Namespace.ROOT, "check"))) {
                say("directory " + Names.text(inode.number) + " is not reachable from the root");
            }
            return;
        }
        if (inode.nlink != counted) {
            say(Names.text(inode.number) + " has link count " + inode.nlink + ", not " + counted);
        }
        if (inode.isOrphan() != (counted == 0)) {
            say(
                    Names.text(inode.number)
                            + (inode.isOrphan()
                                    ? " has a name and is called an orphan"
                                    : " has no name"));
        }
    }

    private void say(String what) {
        if (found.size() < limit) {
            found.add(what);
        }
    }
}
