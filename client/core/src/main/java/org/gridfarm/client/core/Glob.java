package org.gridfarm.client.core;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.wire.DirectoryEntry;
import org.gridfarm.protocol.wire.FileType;

/** Expands a pattern component by component; a name that begins with a dot is matched only by a component that does. */
final class Glob {
    private final Gridfarm farm;
    private final List<String> components = new ArrayList<>();
    private final List<FarmPath> found = new ArrayList<>();

    Glob(Gridfarm farm, String pattern) {
        this.farm = farm;
        for (String component : pattern.split("/")) {
            if (!component.isEmpty()) {
                components.add(component);
            }
        }
    }

    List<FarmPath> expand() {
        walk(FarmPath.ROOT, 0);
        found.sort((a, b) -> a.toString().compareTo(b.toString()));
        return Collections.unmodifiableList(found);
    }

    private void walk(FarmPath at, int index) {
        if (index == components.size()) {
            found.add(at);
            return;
        }
        String component = components.get(index);
        boolean last = index == components.size() - 1;
        if (!isPattern(component)) {
            FarmPath next = at.child(component);
            if (farm.exists(next)) {
                walk(next, index + 1);
            }
            return;
        }
        PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + component.replace("{", "\\{").replace("}", "\\}"));
        for (DirectoryEntry entry : entries(at)) {
            String name = entry.getName().toStringUtf8();
            boolean hidden = name.startsWith(".") && !component.startsWith(".");
            boolean enterable = last || entry.getType() == FileType.DIRECTORY || entry.getType() == FileType.SYMLINK;
            if (!hidden && enterable && matcher.matches(Path.of(name))) {
                walk(at.child(Name.of(entry.getName().toByteArray())), index + 1);
            }
        }
    }

    private List<DirectoryEntry> entries(FarmPath directory) {
        try {
            return farm.list(directory);
        } catch (FarmException e) {
            if (e.kind() == ErrorKind.NOT_FOUND || e.kind() == ErrorKind.NOT_A_DIRECTORY) {
                return List.of(); // matches nothing
            }
            throw e;
        }
    }

    private static boolean isPattern(String component) {
        return component.indexOf('*') >= 0 || component.indexOf('?') >= 0 || component.indexOf('[') >= 0;
    }
}
