package org.gridfarm.storagenode.tasks;

import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.LocalPath;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.RunTaskRequest;

import java.nio.file.Path;

/**
 * Where a task works and what it reads, as paths of this host below the mount. Only worked out
 * here, as text: it is the task itself that opens them.
 *
 * @param directory empty: a scratch directory is to be made
 */
record TaskPlace(String directory, String directoryShown, String stdin) {
    private static final String NOTHING = "/dev/null";

    static TaskPlace of(RunTaskRequest request, TaskSettings settings) {
        String asked = NameText.of(request.getDirectory().toByteArray());
        String stdin = NameText.of(request.getStdinPath().toByteArray());
        String mount = settings.mount();
        boolean needsMount = request.getNeedsMount() || !asked.isEmpty() || !stdin.isEmpty();
        if (mount.isEmpty() && needsMount) {
            throw Unmounted.failure();
        }
        return new TaskPlace(
                mount.isEmpty() ? "" : below(mount, asked),
                asked,
                stdin.isEmpty() ? NOTHING : below(mount, stdin));
    }

    /** A path in the farm has no way above its root: ".." of that is the root. */
    private static String below(String mount, String asked) {
        String inFarm = FarmPath.of(asked.startsWith("/") ? asked : "/" + asked).toString();
        return inFarm.equals("/") ? mount : mount + inFarm;
    }

    boolean isScratch() {
        return directory.isEmpty();
    }

    TaskPlace in(Path scratch) {
        return new TaskPlace(LocalPath.text(scratch), directoryShown, stdin);
    }
}
