package org.gridfarm.test.linear;

import org.gridfarm.test.linear.Tree.Call;

import java.util.List;
import java.util.Random;

/** Calls on a few names, so that they meet. */
public final class RandomCalls {
    private static final List<String> PATHS =
            List.of("/a", "/b", "/c", "/d", "/d/a", "/d/b", "/e", "/e/a", "/e/d");

    private RandomCalls() {}

    public static Call next(Random random) {
        String path = PATHS.get(random.nextInt(PATHS.size()));
        String other = PATHS.get(random.nextInt(PATHS.size()));
        return switch (random.nextInt(20)) {
            case 0, 1 -> new Call.Create(path, false);
            case 2, 3 -> new Call.Create(path, true);
            case 4, 5 -> new Call.MakeDirectory(path);
            case 6, 7 -> new Call.Unlink(path);
            case 8 -> new Call.RemoveDirectory(path);
            case 9, 10, 11 -> new Call.Rename(path, other);
            case 12 -> new Call.Link(path, other);
            case 13 -> new Call.ChangeMode(path, random.nextBoolean() ? 0700 : 0755);
            case 14, 15 -> new Call.List(random.nextBoolean() ? "/" : path);
            default -> new Call.Stat(path);
        };
    }
}
