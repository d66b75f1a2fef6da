package org.gridfarm.client.cli.sync;

import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.Name;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** Replaces the content of a file on one side by that of the other; returns the bytes copied. */
interface Copier {
    long copy(List<Name> file) throws IOException;

    static Copier of(Gridfarm farm, Side from, Side to) {
        if (from instanceof FarmSide source && to instanceof FarmSide target) {
            return file -> farm.copy(source.path(file), target.path(file));
        }
        if (from instanceof LocalSide source && to instanceof FarmSide target) {
            return file -> farm.copyIn(source.path(file), target.path(file));
        }
        if (from instanceof FarmSide source && to instanceof LocalSide target) {
            return file -> out(farm, source.path(file), target.path(file));
        }
        throw new IllegalArgumentException("both sides are on this machine");
    }

    /** Nobody else reads it before it has its mode. */
    private static long out(Gridfarm farm, FarmPath from, Path to) throws IOException {
        if (!Files.exists(to, LinkOption.NOFOLLOW_LINKS)) {
            Files.createFile(
                    to,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------")));
        }
        return farm.copyOut(from, to);
    }
}
