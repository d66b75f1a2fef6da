package org.gridfarm.metaserver.server.files;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * Opens that wait until other sessions have given up what they cached, and who is to be answered
 * then: who asked first, and whoever asked again with the same handle meanwhile. An answer before
 * that would let one write what another still reads from its cache. Event thread.
 */
final class OpensUnderWay {
    private final Map<Long, Deque<Runnable>> byHandle = new HashMap<>();

    /**
     * @param opened runs when the others have given up
     * @return to be run then
     */
    Runnable begin(long handle, Runnable opened) {
        Deque<Runnable> waiting = new ArrayDeque<>();
        waiting.add(opened);
        byHandle.put(handle, waiting);
        return () -> {
            byHandle.remove(handle, waiting); // unless it was closed and is being opened again
            waiting.forEach(Runnable::run);
        };
    }

    /**
     * Runs when the open is over; at once where it is. Of those who ask for one open the last is
     * answered first: the others may be gone, and a refusal closes the handle.
     */
    void whenOver(long handle, Runnable opened) {
        Deque<Runnable> waiting = byHandle.get(handle);
        if (waiting == null) opened.run();
        else waiting.addFirst(opened);
    }
}
