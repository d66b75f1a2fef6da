package org.gridfarm.test.linear;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The namespace as POSIX tells it, small enough to be right by inspection: immutable, with whole
 * paths as keys. Every inode has a number that grows with creation, so that links and replaced
 * files can be told apart; numbers never appear in answers.
 */
public record Tree(Map<String, Integer> names, Map<Integer, Inode> inodes, int next) {
    public static final Tree EMPTY = new Tree(Map.of("/", 0), Map.of(0, new Inode(true, 0755)), 1);

    public record Inode(boolean directory, int mode) {}

    /** What a client asks. */
    public sealed interface Call {
        record Create(String path, boolean exclusive) implements Call {}

        record MakeDirectory(String path) implements Call {}

        record Unlink(String path) implements Call {}

        record RemoveDirectory(String path) implements Call {}

        record Rename(String from, String to) implements Call {}

        /**
         * With RENAME_NOREPLACE through a kernel, which looks at one name after the other: where
         * the first is missing and the second is there, it may say either.
         */
        record RenameNew(String from, String to) implements Call {}

        record Link(String from, String to) implements Call {}

        record ChangeMode(String path, int mode) implements Call {}

        record Stat(String path) implements Call {}

        /** What stat says of it but for what may change: "file" or "dir". */
        record Kind(String path) implements Call {}

        record List(String path) implements Call {}
    }

    /**
     * The model of {@link Checker}: the answer is a word: "ok", an errno name, or what stat or list
     * saw.
     */
    public static final Model<Tree, Call, String> MODEL = from(EMPTY);

    /** As {@link #MODEL}, from another beginning. */
    public static Model<Tree, Call, String> from(Tree beginning) {
        return new Model<>() {
            @Override
            public Tree initial() {
                return beginning;
            }

            @Override
            public Step<Tree, String> step(Tree state, Call call) {
                return state.perform(call);
            }

            @Override
            public boolean agrees(String seen, String modelled) {
                return seen.equals(modelled) || List.of(modelled.split("[|]")).contains(seen);
            }
        };
    }

    /** The tree after these calls, which must all succeed. */
    public static Tree after(Call... calls) {
        Tree tree = EMPTY;
        for (Call call : calls) {
            Model.Step<Tree, String> step = tree.perform(call);
            if (!step.outcome().equals("ok")) {
                throw new IllegalArgumentException(call + ": " + step.outcome());
            }
            tree = step.state();
        }
        return tree;
    }

    private Model.Step<Tree, String> perform(Call call) {
        return switch (call) {
            case Call.Create(String path, boolean exclusive) -> create(path, exclusive);
            case Call.MakeDirectory(String path) -> {
                String refusal = refuseNew(path);
                yield refusal != null ? same(refusal) : done(added(path, new Inode(true, 0755)));
            }
            case Call.Unlink(String path) -> {
                String refusal = refuseMissing(path);
                yield refusal != null
                        ? same(refusal)
                        : inode(path).directory() ? same("EISDIR") : done(without(path));
            }
            case Call.RemoveDirectory(String path) -> removeDirectory(path);
            case Call.Rename(String from, String to) -> rename(from, to);
            case Call.RenameNew(String from, String to) -> {
                String missing = refuseMissing(from);
                String there = refuseNew(to);
                yield missing != null || there != null
                        ? same(either(missing, there))
                        : rename(from, to);
            }
            case Call.Link(String from, String to) -> link(from, to);
            case Call.ChangeMode(String path, int mode) -> {
                String refusal = refuseMissing(path);
                yield refusal != null
                        ? same(refusal)
                        : done(changed(path, new Inode(inode(path).directory(), mode)));
            }
            case Call.Stat(String path) -> {
                String refusal = refuseMissing(path);
                yield same(refusal != null ? refusal : describe(path));
            }
            case Call.Kind(String path) -> {
                String refusal = refuseMissing(path);
                yield same(refusal != null ? refusal : inode(path).directory() ? "dir" : "file");
            }
            case Call.List(String path) -> list(path);
        };
    }

    /** One refusal, or any of two. */
    private static String either(String one, String other) {
        return one == null ? other : other == null ? one : one + "|" + other;
    }

    private Model.Step<Tree, String> create(String path, boolean exclusive) {
        String refusal = refuseNew(path);
        if (refusal == null) {
            return done(added(path, new Inode(false, 0644)));
        }
        if (refusal.equals("EEXIST") && !exclusive) {
            return same(inode(path).directory() ? "EISDIR" : "ok");
        }
        return same(refusal);
    }

    private Model.Step<Tree, String> removeDirectory(String path) {
        String refusal = refuseMissing(path);
        if (refusal != null) {
            return same(refusal);
        }
        if (!inode(path).directory()) {
            return same("ENOTDIR");
        }
        return children(path).isEmpty() ? done(without(path)) : same("ENOTEMPTY");
    }

    private Model.Step<Tree, String> link(String from, String to) {
        String refusal = refuseMissing(from);
        if (refusal == null) {
            refusal = refuseNew(to);
        }
        if (refusal == null && inode(from).directory()) {
            refusal = "EPERM";
        }
        if (refusal != null) {
            return same(refusal);
        }
        Map<String, Integer> more = new TreeMap<>(names);
        more.put(to, names.get(from));
        return done(new Tree(more, inodes, next));
    }

    private Model.Step<Tree, String> rename(String from, String to) {
        String refusal = refuseMissing(from);
        if (refusal != null) {
            return same(refusal);
        }
        if (to.startsWith(from + "/")) {
            return same("EINVAL");
        }
        String target = refuseMissing(to);
        if (target != null && !(target.equals("ENOENT") && refuseNew(to) == null)) {
            return same(target);
        }
        if (target == null) {
            if (names.get(from).equals(names.get(to))) {
                return same("ok");
            }
            boolean directory = inode(from).directory();
            if (inode(to).directory() && !directory) {
                return same("EISDIR");
            }
            if (!inode(to).directory() && directory) {
                return same("ENOTDIR");
            }
            if (inode(to).directory() && !children(to).isEmpty()) {
                return same("ENOTEMPTY");
            }
        }
        Map<String, Integer> moved = new TreeMap<>();
        names.forEach((path, number) -> {
            if (path.equals(to)) {
                return;
            }
            boolean below = path.equals(from) || path.startsWith(from + "/");
            moved.put(below ? to + path.substring(from.length()) : path, number);
        });
        return done(new Tree(moved, inodes, next).swept());
    }

    private Model.Step<Tree, String> list(String path) {
        String refusal = refuseMissing(path);
        if (refusal != null) {
            return same(refusal);
        }
        return same(
                inode(path).directory()
                        ? String.join(",", new TreeSet<>(children(path)))
                        : "ENOTDIR");
    }

    private String describe(String path) {
        Inode inode = inode(path);
        long links = names.values().stream().filter(n -> n.equals(names.get(path))).count();
        return inode.directory()
                ? "dir %o".formatted(inode.mode())
                : "file %o %d".formatted(inode.mode(), links);
    }

    /** Null when the path exists. */
    private String refuseMissing(String path) {
        String parent = refuseParent(path);
        return parent != null ? parent : names.containsKey(path) ? null : "ENOENT";
    }

    /** Null when the path does not exist and could be made. */
    private String refuseNew(String path) {
        String parent = refuseParent(path);
        return parent != null ? parent : names.containsKey(path) ? "EEXIST" : null;
    }

    private String refuseParent(String path) {
        for (int slash = path.indexOf('/', 1); slash > 0; slash = path.indexOf('/', slash + 1)) {
            String ancestor = path.substring(0, slash);
            if (!names.containsKey(ancestor)) {
                return "ENOENT";
            }
            if (!inode(ancestor).directory()) {
                return "ENOTDIR";
            }
        }
        return null;
    }

    private Inode inode(String path) {
        return inodes.get(names.get(path));
    }

    private List<String> children(String path) {
        String prefix = path.equals("/") ? "/" : path + "/";
        List<String> found = new ArrayList<>();
        for (String name : names.keySet()) {
            if (name.length() > prefix.length()
                    && name.startsWith(prefix)
                    && name.indexOf('/', prefix.length()) < 0) {
                found.add(name.substring(prefix.length()));
            }
        }
        return found;
    }

    private Tree added(String path, Inode inode) {
        Map<String, Integer> moreNames = new TreeMap<>(names);
        Map<Integer, Inode> moreInodes = new TreeMap<>(inodes);
        moreNames.put(path, next);
        moreInodes.put(next, inode);
        return new Tree(moreNames, moreInodes, next + 1);
    }

    private Tree without(String path) {
        Map<String, Integer> fewer = new TreeMap<>(names);
        fewer.remove(path);
        return new Tree(fewer, inodes, next).swept();
    }

    private Tree changed(String path, Inode inode) {
        Map<Integer, Inode> others = new TreeMap<>(inodes);
        others.put(names.get(path), inode);
        return new Tree(names, others, next);
    }

    /**
     * Without inodes that no name is left for, and numbered anew in order: equal trees are equal
     * values.
     */
    private Tree swept() {
        Map<Integer, Integer> renumbered = new TreeMap<>();
        Map<String, Integer> newNames = new TreeMap<>();
        Map<Integer, Inode> newInodes = new TreeMap<>();
        for (Map.Entry<String, Integer> name : new TreeMap<>(names).entrySet()) {
            Integer number = renumbered.get(name.getValue());
            if (number == null) {
                number = renumbered.size();
                renumbered.put(name.getValue(), number);
                newInodes.put(number, inodes.get(name.getValue()));
            }
            newNames.put(name.getKey(), number);
        }
        return new Tree(newNames, newInodes, renumbered.size());
    }

    private Model.Step<Tree, String> same(String outcome) {
        return new Model.Step<>(this, outcome);
    }

    private static Model.Step<Tree, String> done(Tree state) {
        return new Model.Step<>(state.swept(), "ok");
    }
}
