package org.gridfarm.client.core.transfer.file;

import java.util.ArrayList;
import java.util.List;

/** The handles of this process for one inode. For one thread at a time. */
final class Handles {
    private final List<FarmFileHandle> all = new ArrayList<>();
    private final List<Runnable> afterLastWriter = new ArrayList<>();
    private boolean readable; // through any handle there ever was

    public void add(FarmFileHandle handle) {
        all.add(handle);
        readable |= handle.flags().read() || handle.flags().execute();
    }

    public void remove(FarmFileHandle handle) {
        all.remove(handle);
    }

    public List<FarmFileHandle> all() {
        return List.copyOf(all);
    }

    public boolean hasWriter() {
        return all.stream().anyMatch(handle -> handle.flags().write());
    }

    /** Somebody may have mapped it, which outlives its handles. */
    boolean wasReadable() {
        return readable;
    }

    void afterLastWriter(Runnable step) {
        afterLastWriter.add(step);
    }

    /** What was to be done after the last writer; once. */
    List<Runnable> takeAfterLastWriter() {
        List<Runnable> last = List.copyOf(afterLastWriter);
        afterLastWriter.clear();
        return last;
    }
}
