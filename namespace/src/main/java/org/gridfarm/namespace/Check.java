package org.gridfarm.namespace;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.DirentImage;
import org.gridfarm.protocol.wire.DirentKey;
import org.gridfarm.protocol.wire.InodeImage;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The invariants of a namespace at rest: every entry leads to an inode, link counts are the counted
 * names, directories have one name, which is in their parent, everything but orphans can be reached
 * from the root.
 *
 * <p>Each finding brings what would mend it, made from the state as it is: two findings about one
 * inode overwrite each other's, so mending is repeated until nothing is found. What has no name any
 * more gets one in {@code /lost+found}, if there is one.
 */
final class Check {
    private final Namespace state;
    private final int limit;
    private final List<Finding> found = new ArrayList<>();
    private final Map<Long, Integer> names = new HashMap<>();

    Check(Namespace state, int limit) {
        this.state = state;
        this.limit = limit;
    }

    List<Finding> run() {
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
                say("name " + shown + " leads to no inode", gone(directory, entry.name));
                continue;
            }
            names.merge(entry.inode.number, 1, Integer::sum);
            if (entry.inode.isDirectory()) {
                subdirectories++;
                checkParent(directory, entry, shown);
            }
        }
        if (directory.nlink != subdirectories + 2) {
            say(
                    Names.text(directory.number)
                            + " has link count "
                            + directory.nlink
                            + ", not "
                            + (subdirectories + 2),
                    image(directory.image().setNlink(subdirectories + 2)));
        }
    }

    /** A directory is where it believes to be, if it has a name there; else where it has one. */
    private void checkParent(Inode directory, Entry entry, String shown) {
        Inode child = entry.inode;
        if (child.parent == directory.number) {
            return;
        }
        Inode believed = state.find(child.parent);
        boolean namedThere =
                believed != null && believed.isDirectory() && hasEntryFor(believed, child);
        say(
                "directory " + shown + " believes to be in " + Names.text(child.parent),
                namedThere
                        ? gone(directory, entry.name)
                        : image(child.image().setParent(directory.number)));
    }

    private static boolean hasEntryFor(Inode directory, Inode child) {
        Entries entries = directory.entries();
        for (int i = 0; i < entries.end(); i++) {
            Entry entry = entries.at(i);
            if (entry != null && entry.inode == child) {
                return true;
            }
        }
        return false;
    }

    private void checkInode(Inode inode) {
        int counted = names.getOrDefault(inode.number, 0);
        if (inode.isDirectory()) {
            if (inode.number != Namespace.ROOT && counted != 1) {
                String what =
                        "directory " + Names.text(inode.number) + " has " + counted + " names";
                if (counted == 0) rescue(what, inode, inode.nlink);
                else say(what);
            } else if (!state.isWithin(inode, state.require(Namespace.ROOT, "check"))) {
                say("directory " + Names.text(inode.number) + " is not reachable from the root");
            }
            return;
        }
        if (inode.nlink != counted && !(counted == 0 && !inode.isOrphan())) {
            say(
                    Names.text(inode.number)
                            + " has link count "
                            + inode.nlink
                            + ", not "
                            + counted,
                    image(inode.image().setNlink(counted)));
        }
        if (counted == 0 && !inode.isOrphan()) {
            rescue(Names.text(inode.number) + " has no name", inode, 1);
        } else if (counted > 0 && inode.isOrphan()) {
            say(
                    Names.text(inode.number) + " has a name and is called an orphan",
                    List.of(Change.newBuilder().setOrphanGone(inode.number).build()));
        }
    }

    // ---- mending

    private static List<Change> gone(Inode directory, byte[] name) {
        return List.of(
                Change.newBuilder()
                        .setDirentGone(
                                DirentKey.newBuilder()
                                        .setParent(directory.number)
                                        .setName(ByteString.copyFrom(name)))
                        .build());
    }

    private static List<Change> image(InodeImage.Builder image) {
        return List.of(
                Change.newBuilder().setInode(image.setVersion(image.getVersion() + 1)).build());
    }

    /**
     * A name by its number; cookies of names made at once must differ, so they come from it, too.
     */
    private void rescue(String what, Inode inode, int links) {
        Inode root = state.find(Namespace.ROOT);
        Inode shelter =
                root == null
                        ? null
                        : state.entryOf(
                                root, Namespace.LOST_AND_FOUND.getBytes(StandardCharsets.US_ASCII));
        if (shelter == null || !shelter.isDirectory() || shelter == inode) {
            if (found.size() < limit) {
                found.add(new Finding(what, List.of(), shelter == null));
            }
            return;
        }
        List<Change> mend =
                new ArrayList<>(image(inode.image().setNlink(links).setParent(shelter.number)));
        mend.add(
                Change.newBuilder()
                        .setDirent(
                                DirentImage.newBuilder()
                                        .setParent(shelter.number)
                                        .setName(
                                                ByteString.copyFromUtf8(
                                                        Long.toHexString(inode.number)))
                                        .setInode(inode.number)
                                        .setType(inode.type())
                                        .setCookie(shelter.entries().nextCookie() + inode.number))
                        .build());
        say(what, mend);
    }

    private void say(String what) {
        say(what, List.of());
    }

    private void say(String what, List<Change> mend) {
        if (found.size() < limit) {
            found.add(new Finding(what, mend));
        }
    }
}
