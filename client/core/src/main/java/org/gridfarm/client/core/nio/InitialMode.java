package org.gridfarm.client.core.nio;

import org.gridfarm.client.core.NewMode;

import java.nio.file.attribute.FileAttribute;
import java.util.Set;

/** The attributes that a file or directory is made with: its permissions, or none. */
final class InitialMode {
    private InitialMode() {}

    /** What else is asked for is refused, since nobody would see that it was left out. */
    static NewMode of(NewMode otherwise, FileAttribute<?>... attributes) {
        NewMode mode = otherwise;
        for (FileAttribute<?> attribute : attributes) {
            if (!attribute.name().equals("posix:permissions")) {
                throw new UnsupportedOperationException(
                        "'" + attribute.name() + "' cannot be given when a file is made");
            }
            mode =
                    NewMode.exactly(
                            FarmAttributes.mode(
                                    FarmAttributes.permissions((Set<?>) attribute.value())));
        }
        return mode;
    }
}
