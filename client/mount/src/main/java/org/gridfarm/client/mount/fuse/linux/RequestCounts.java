package org.gridfarm.client.mount.fuse.linux;

import org.gridfarm.client.mount.fuse.RequestFigures;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/// Counts answers. Thread-safe; a count costs some nanoseconds.
final class RequestCounts implements RequestFigures {
    private static final int ERRNO_END = 134;

    private static final class Count implements Operation {
        private final String name;
        private final LongAdder answered = new LongAdder();
        private final LongAdder nanos = new LongAdder();

        Count(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public long answered() {
            return answered.sum();
        }

        @Override
        public long nanos() {
            return nanos.sum();
        }
    }

    private final Map<String, Count> byName = new LinkedHashMap<>(); // not changed any more
    private final @Nullable Count[] byOpcode = new @Nullable Count[Abi.OPCODE_END];
    private final LongAdder[] errors = new LongAdder[ERRNO_END];

    RequestCounts() {
        for (int opcode = 0; opcode < byOpcode.length; opcode++) {
            String name = Abi.name(opcode);
            byOpcode[opcode] = name.isEmpty() ? null : byName.computeIfAbsent(name, Count::new);
        }
        Arrays.setAll(errors, _ -> new LongAdder());
    }

    /// @param error as in the answer: 0, or a negative errno
    void answered(int opcode, int error, long nanos) {
        Count count = opcode < byOpcode.length ? byOpcode[opcode] : null;
        if (count == null) {
            return;
        }
        count.answered.increment();
        count.nanos.add(nanos);
        if (error < 0 && -error < ERRNO_END) {
            errors[-error].increment();
        }
    }

    @Override
    public Collection<? extends Operation> operations() {
        return byName.values();
    }

    @Override
    public long errors(int errno) {
        return errors[errno].sum();
    }
}
