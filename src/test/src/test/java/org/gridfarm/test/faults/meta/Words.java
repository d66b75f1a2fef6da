package org.gridfarm.test.faults.meta;

import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** Refusals that are answers; every other failure says nothing about whether it was done. */
final class Words {
    private static final Map<Integer, String> BY_ERRNO =
            Map.of(
                    1,
                    "EPERM",
                    2,
                    "ENOENT",
                    11,
                    "EAGAIN",
                    17,
                    "EEXIST",
                    20,
                    "ENOTDIR",
                    21,
                    "EISDIR",
                    22,
                    "EINVAL",
                    39,
                    "ENOTEMPTY");

    private static final ConcurrentMap<String, Integer> UNCLEAR = new ConcurrentSkipListMap<>();

    private Words() {}

    static @Nullable String ofErrno(String call, int errno) {
        String word = BY_ERRNO.get(errno);
        if (word == null) {
            unclear(call + " " + errno);
        }
        return word;
    }

    static void unclear(String what) {
        UNCLEAR.merge(what, 1, Integer::sum);
    }

    static void forget() {
        UNCLEAR.clear();
    }

    /** How often which call was answered by which other errno. */
    static Map<String, Integer> unclear() {
        return UNCLEAR;
    }
}
