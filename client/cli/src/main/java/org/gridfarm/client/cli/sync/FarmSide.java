package org.gridfarm.client.cli.sync;

import org.gridfarm.client.core.AttributeChange;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.Name;
import org.jspecify.annotations.Nullable;

import java.io.InputStream;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Below a directory of the farm. */
record FarmSide(Gridfarm farm, FarmPath root) implements Side {
    FarmPath path(List<Name> place) {
        FarmPath path = root;
        for (Name name : place) {
            path = path.child(name);
        }
        return path;
    }

    @Override
    public String text(List<Name> place) {
        return "gf:" + path(place);
    }

    @Override
    public @Nullable Entry find(List<Name> place) {
        try {
            return entry(farm.statLink(path(place)));
        } catch (FarmException e) {
            if (e.kind() == ErrorKind.NOT_FOUND) {
                return null;
            }
            throw e;
        }
    }

    private static Entry entry(FileInfo found) {
        Entry.Kind kind =
                found.isRegularFile()
                        ? Entry.Kind.FILE
                        : found.isDirectory()
                                ? Entry.Kind.DIRECTORY
                                : found.isSymbolicLink() ? Entry.Kind.LINK : Entry.Kind.OTHER;
        return new Entry(kind, found.size(), found.modified(), found.mode() & 0777);
    }

    @Override
    public SortedMap<Name, Entry> list(List<Name> directory) {
        SortedMap<Name, Entry> entries = new TreeMap<>();
        farm.list(path(directory)).forEach(found -> entries.put(found.path().last(), entry(found)));
        return entries;
    }

    @Override
    public InputStream read(List<Name> file) {
        return farm.read(path(file));
    }

    @Override
    public String linkTarget(List<Name> link) {
        return farm.readLink(path(link));
    }

    @Override
    public void makeDirectory(List<Name> place) {
        farm.mkdirs(path(place));
    }

    @Override
    public void makeLink(List<Name> place, String target) {
        farm.symlink(target, path(place));
    }

    @Override
    public void remove(List<Name> place, Entry there) {
        if (there.isDirectory()) {
            farm.deleteRecursively(path(place));
        } else {
            farm.delete(path(place));
        }
    }

    @Override
    public void take(List<Name> place, Entry as) {
        farm.change(
                path(place),
                false,
                AttributeChange.NONE.withMode(as.mode()).withTimes(null, as.modified()));
    }
}
