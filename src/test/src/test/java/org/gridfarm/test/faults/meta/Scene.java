package org.gridfarm.test.faults.meta;

import org.gridfarm.test.linear.Tree;
import org.gridfarm.test.linear.Tree.Call;

import java.util.List;
import java.util.Random;

/**
 * The few names that a history is about. Directories on the way to a name are never renamed or
 * removed: a walk along a path is not one instant, in no file system. What is opened by its inode
 * number keeps its name.
 */
final class Scene {
    /** The file that is locked. */
    static final String LOCK = "/k";

    private static final List<Call> FURNITURE =
            List.of(
                    new Call.MakeDirectory("/x"),
                    new Call.Create("/m0", true),
                    new Call.Create("/m1", true),
                    new Call.Create(LOCK, true));
    private static final List<String> NAMES = List.of("/a", "/b", "/c", "/x/a", "/x/b", "/x/c");
    private static final List<String> LINKS = List.of("/l", "/x/l");
    private static final List<Integer> MODES = List.of(0600, 0640, 0700, 0755);

    private Scene() {}

    static List<Call> furniture() {
        return FURNITURE;
    }

    static Tree beginning() {
        return Tree.after(FURNITURE.toArray(new Call[0]));
    }

    /**
     * @param oneInstant see {@link Actor#isOneInstant}
     */
    static Call next(Random random, boolean oneInstant) {
        String name = pick(random, NAMES);
        String link = pick(random, LINKS);
        return switch (random.nextInt(24)) {
            case 0, 1 -> new Call.Create(name, true);
            case 2 -> new Call.Create(name, false);
            case 3, 4 -> new Call.MakeDirectory(name);
            case 5, 6 -> new Call.Unlink(name);
            case 7 -> new Call.RemoveDirectory(name);
            case 8, 9, 10 ->
                    oneInstant
                            ? new Call.Rename(name, pick(random, NAMES))
                            : new Call.RenameNew(name, pick(random, NAMES));
            case 11 -> new Call.Link("/m1", link);
            case 12 -> new Call.Unlink(link);
            case 13, 14 -> new Call.ChangeMode("/m0", pick(random, MODES));
            case 15, 16 -> new Call.Stat("/m0");
            case 17 -> new Call.Stat("/m1");
            case 18 -> new Call.List("/");
            case 19 -> new Call.List("/x");
            default -> oneInstant ? new Call.Stat(name) : new Call.Kind(name);
        };
    }

    private static <T> T pick(Random random, List<T> from) {
        return from.get(random.nextInt(from.size()));
    }
}
