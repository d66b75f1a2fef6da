package org.gridfarm.client.core.nio;

import org.gridfarm.client.core.transfer.OpenFlags;

import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.Set;

/**
 * What a set of open options asks for. Combinations mean what they mean to the JDK's own file
 * systems on Unix (UnixChannelFactory).
 *
 * @param sync every write is on stable storage when it returns
 * @param deleteOnClose the name goes as soon as the file is open
 */
record OpenChoice(
        OpenFlags flags,
        boolean create,
        boolean createNew,
        boolean sync,
        boolean deleteOnClose,
        boolean follow) {
    /** An option that is none of {@link StandardOpenOption} and NOFOLLOW_LINKS is refused. */
    static OpenChoice of(Set<? extends OpenOption> options) {
        for (OpenOption option : options) {
            Objects.requireNonNull(option);
            if (!(option instanceof StandardOpenOption) && option != LinkOption.NOFOLLOW_LINKS) {
                throw new UnsupportedOperationException("open option " + option);
            }
        }
        boolean append = options.contains(StandardOpenOption.APPEND);
        boolean write = append || options.contains(StandardOpenOption.WRITE);
        boolean read = !write || options.contains(StandardOpenOption.READ);
        boolean truncate = options.contains(StandardOpenOption.TRUNCATE_EXISTING);
        if (append && read) {
            throw new IllegalArgumentException("READ with APPEND");
        }
        if (append && truncate) {
            throw new IllegalArgumentException("APPEND with TRUNCATE_EXISTING");
        }
        boolean delete = options.contains(StandardOpenOption.DELETE_ON_CLOSE);
        return new OpenChoice(
                new OpenFlags(read, write, write && truncate, append, false),
                write && options.contains(StandardOpenOption.CREATE),
                write && options.contains(StandardOpenOption.CREATE_NEW),
                options.contains(StandardOpenOption.SYNC)
                        || options.contains(StandardOpenOption.DSYNC),
                delete,
                !delete && !options.contains(LinkOption.NOFOLLOW_LINKS));
    }
}
