package org.gridfarm.client.core.nio;

import org.gridfarm.client.core.FileInfo;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.List;

/** The way to a path without links, name by name as realpath(3) goes it. For one thread. */
final class RealPath {
    private static final int LINKS_MAX = 40; // as Linux and the farm's own walk

    private final FarmNioPath path;
    private final boolean follow;
    private final Deque<String> ahead = new ArrayDeque<>();
    private final List<String> real = new ArrayList<>();
    private int links;

    private RealPath(FarmNioPath path, boolean follow) {
        this.path = path;
        this.follow = follow;
        path.forEach(name -> ahead.addLast(name.toString()));
    }

    /**
     * @param follow false: links stay, but for one before {@code ..}, which leads to the parent of
     *     what the link leads to
     */
    static FarmNioPath of(FarmNioPath path, boolean follow) throws IOException {
        return new RealPath(path, follow).walk();
    }

    private FarmNioPath walk() throws IOException {
        while (!ahead.isEmpty()) {
            String name = ahead.removeFirst();
            if (name.equals("..")) {
                up();
            } else if (!name.isEmpty() && !name.equals(".")) {
                enter(name);
            }
        }
        return reached();
    }

    private FarmNioPath reached() {
        return new FarmNioPath(path.getFileSystem(), true, real);
    }

    private void enter(String name) throws IOException {
        real.add(name);
        FarmPath here = reached().farmPath();
        FileInfo found = path.farm().statLink(here);
        boolean link = found.isSymbolicLink();
        if (link && follow) {
            real.remove(real.size() - 1);
            goBy(path.farm().readLink(here));
        } else if (!link && !found.isDirectory() && !ahead.isEmpty()) {
            throw new FarmException(ErrorKind.NOT_A_DIRECTORY, "resolve", here.toString());
        }
    }

    private void goBy(String target) {
        links++;
        if (links > LINKS_MAX) {
            throw new FarmException(ErrorKind.LINK_LOOP, "resolve", path.toString());
        }
        if (target.startsWith("/")) {
            real.clear();
        }
        List<String> names = new ArrayList<>(Arrays.asList(target.split("/")));
        Collections.reverse(names);
        names.forEach(ahead::addFirst);
    }

    private void up() throws IOException {
        if (!follow) {
            List<String> there = of(reached(), true).names();
            real.clear();
            real.addAll(there);
        }
        if (!real.isEmpty()) {
            real.remove(real.size() - 1);
        }
    }
}
