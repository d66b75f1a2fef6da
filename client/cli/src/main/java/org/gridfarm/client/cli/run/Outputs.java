package org.gridfarm.client.cli.run;

import org.gridfarm.protocol.wire.TaskInfo;

import java.io.IOException;
import java.io.OutputStream;

/** Where the output of tasks that have ended is kept. For one thread. */
public interface Outputs {
    /** All of it; fails if a part was not kept. */
    void copy(TaskInfo task, boolean isError, OutputStream to) throws IOException;
}
