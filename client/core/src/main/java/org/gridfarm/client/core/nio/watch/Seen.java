package org.gridfarm.client.core.nio.watch;

import org.gridfarm.protocol.name.Name;

import java.nio.file.StandardWatchEventKinds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The entries of a directory as they were seen last. Guarded by the directory. */
final class Seen {
    private Map<Name, Sight> entries = Map.of();
    private Map<Long, Set<Name>> names = Map.of();

    boolean has(long inode) {
        return names.containsKey(inode);
    }

    /** For the first time: nothing differs. */
    void begin(Map<Name, Sight> now) {
        entries = new HashMap<>(now);
        names = new HashMap<>();
        now.forEach((name, sight) -> named(sight.inode(), name));
    }

    /** First what is gone, then what is new, then what is another. */
    List<Difference> become(Map<Name, Sight> now) {
        List<Difference> found = new ArrayList<>();
        for (Map.Entry<Name, Sight> entry : List.copyOf(entries.entrySet())) {
            Sight later = now.get(entry.getKey());
            if (later == null || later.inode() != entry.getValue().inode()) {
                found.add(new Difference(StandardWatchEventKinds.ENTRY_DELETE, entry.getKey()));
                forget(entry.getKey());
            }
        }
        List<Difference> modified = new ArrayList<>();
        now.forEach((name, sight) -> {
            Sight before = entries.put(name, sight);
            if (before == null) {
                found.add(new Difference(StandardWatchEventKinds.ENTRY_CREATE, name));
                named(sight.inode(), name);
            } else if (!before.equals(sight)) {
                modified.add(new Difference(StandardWatchEventKinds.ENTRY_MODIFY, name));
            }
        });
        found.addAll(modified);
        return found;
    }

    /** One inode looks so now, under each of its names here. */
    List<Difference> become(Sight now) {
        List<Difference> found = new ArrayList<>();
        for (Name name : names.getOrDefault(now.inode(), Set.of())) {
            Sight before = entries.put(name, now);
            if (!now.equals(before)) {
                found.add(new Difference(StandardWatchEventKinds.ENTRY_MODIFY, name));
            }
        }
        return found;
    }

    private void named(long inode, Name name) {
        Set<Name> others = names.get(inode);
        if (others == null) {
            names.put(inode, Set.of(name)); // most have one, and a set of one is small
        } else {
            Set<Name> more = new HashSet<>(others);
            more.add(name);
            names.put(inode, more);
        }
    }

    private void forget(Name name) {
        Sight gone = entries.remove(name);
        Set<Name> left =
                new HashSet<>(names.getOrDefault(gone == null ? 0 : gone.inode(), Set.of()));
        left.remove(name);
        if (gone != null && left.isEmpty()) {
            names.remove(gone.inode());
        } else if (gone != null) {
            names.put(gone.inode(), left);
        }
    }
}
