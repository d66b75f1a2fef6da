package org.gridfarm.client.cli.gateway.s3;

import org.gridfarm.client.cli.gateway.s3.auth.S3Code;
import org.gridfarm.client.cli.gateway.s3.auth.S3Failure;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;

/**
 * Directories that nobody asked for: the slashes in a key make them, and they go with the last
 * object in them. They have a mark; a directory without it is somebody's own, and stays.
 */
final class Prefixes {
    private static final String MARK = "user.s3.prefix";

    private final Gridfarm farm;

    Prefixes(Gridfarm farm) {
        this.farm = farm;
    }

    /** The directory of an object, with those above it below the bucket. */
    void make(FarmPath bucket, FarmPath directory) {
        if (directory.equals(bucket)) return;
        try {
            if (farm.stat(directory).isDirectory()) return;
            throw conflict(directory);
        } catch (FarmException e) {
            if (e.kind() == ErrorKind.NOT_A_DIRECTORY) throw conflict(directory);
            if (e.kind() != ErrorKind.NOT_FOUND) throw e;
        }
        make(bucket, directory.parent());
        try {
            farm.mkdir(directory);
            farm.setXattr(directory, MARK, new byte[] {'1'});
        } catch (FarmException e) {
            // Somebody else was quicker, or has removed it again: its maker marks it.
            if (e.kind() != ErrorKind.ALREADY_EXISTS && e.kind() != ErrorKind.NOT_FOUND) throw e;
        }
    }

    private static S3Failure conflict(FarmPath directory) {
        return new S3Failure(
                S3Code.KEY_CONFLICT,
                directory.last() + " is an object, and keys are paths here: nothing is below it");
    }

    boolean isMarked(FileInfo directory) {
        return directory.attributes().getHasXattr()
                && farm.getXattr(directory.path(), MARK).isPresent();
    }

    /** Somebody asked for the directory itself. */
    void unmark(FarmPath directory) {
        try {
            farm.removeXattr(directory, MARK);
        } catch (FarmException e) {
            if (e.kind() != ErrorKind.NO_ATTRIBUTE) throw e;
        }
    }

    /** After an object of it went: those that are empty now, and were made for objects only. */
    void tidy(FarmPath bucket, FarmPath directory) {
        for (FarmPath each = directory; !each.equals(bucket); each = each.parent()) {
            try {
                if (!isMarked(farm.statLink(each))) return;
                farm.delete(each);
            } catch (FarmException e) {
                switch (e.kind()) {
                    case NOT_EMPTY,
                            NOT_FOUND,
                            STALE,
                            NOT_A_DIRECTORY,
                            ACCESS_DENIED,
                            NOT_PERMITTED -> {
                        return; // the object is gone all the same
                    }
                    default -> throw e;
                }
            }
        }
    }
}
