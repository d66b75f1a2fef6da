package org.gridfarm.client.mount.fuse;

import java.util.Collection;
import java.util.List;

/// How often the kernel asked for what, and what it was answered, since this process serves it.
public interface RequestFigures {
    /// Of engines that do not count.
    RequestFigures NONE =
            new RequestFigures() {
                @Override
                public Collection<Operation> operations() {
                    return List.of();
                }

                @Override
                public long errors(int errno) {
                    return 0;
                }
            };

    /// @param name of the request as FUSE calls it, in small letters
    interface Operation {
        String name();

        long answered();

        /// From the reading of each request to its answer, all together.
        long nanos();
    }

    /// One for each kind of request, whether it was asked for or not.
    Collection<? extends Operation> operations();

    /// Answers with this number.
    long errors(int errno);
}
