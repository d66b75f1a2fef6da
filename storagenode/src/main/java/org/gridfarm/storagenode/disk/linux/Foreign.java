package org.gridfarm.storagenode.disk.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** Functions of the C library, and the errno of each call. */
final class Foreign {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final VarHandle ERRNO_FIELD =
            Linker.Option.captureStateLayout()
                    .varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private Foreign() {}

    /** Its first argument is a {@link #state}. */
    static MethodHandle function(String name, FunctionDescriptor shape) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), shape, ERRNO);
    }

    /**
     * Its first argument is a {@link #state}.
     *
     * @param first of the function's arguments that is not always there
     */
    static MethodHandle variadic(String name, FunctionDescriptor shape, int first) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name),
                shape,
                ERRNO,
                Linker.Option.firstVariadicArg(first));
    }

    /** Where calls leave their errno. */
    static MemorySegment state(Arena arena) {
        return arena.allocate(Linker.Option.captureStateLayout());
    }

    static int errno(MemorySegment state) {
        return (int) ERRNO_FIELD.get(state, 0L);
    }

    interface Calls {
        long run(MemorySegment state, Arena arena) throws Throwable;
    }

    /** Calls in memory of their own; what only a foreign call can throw is no checked exception. */
    static long calling(Calls calls) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            return calls.run(state(arena), arena);
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException(e);
        }
    }
}
