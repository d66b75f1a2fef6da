package org.gridfarm.client.mount.fuse.memory;

import org.gridfarm.client.mount.fuse.FuseOperations;
import org.gridfarm.client.mount.fuse.MountOptions;
import org.gridfarm.client.mount.fuse.Request;
import org.gridfarm.client.mount.fuse.linux.LinuxMount;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/// Mounts a file system in memory until it is unmounted, for suites that come from outside:
/// `MemoryMount DIR [KEEP_SECONDS]`.
public final class MemoryMount {

    private MemoryMount() {}

    public static void main(String[] args) throws Exception {
        long keep = args.length > 1 ? Long.parseLong(args[1]) : 60;
        MountOptions options =
                MountOptions.defaults()
                        .withSource("memory")
                        .withAllowOther(true)
                        .withFlags(Set.of());
        FuseOperations operations =
                new MemoryOperations(Clock.systemUTC(), TimeUnit.SECONDS.toNanos(keep));
        if (args.length > 2) {
            operations = onOtherThreads(operations);
        }
        try (LinuxMount mount = LinuxMount.mount(Path.of(args[0]), options, operations)) {
            System.err.println("mounted on " + mount.point());
            mount.awaitEnd();
        }
    }

    static FuseOperations onOtherThreads(FuseOperations to) {
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        return (FuseOperations)
                Proxy.newProxyInstance(
                        MemoryMount.class.getClassLoader(),
                        new Class<?>[] {FuseOperations.class},
                        (proxy, method, given) -> {
                            Object[] arguments = given == null ? new Object[0] : given;
                            if (arguments.length > 0 && arguments[0] instanceof Request) {
                                threads.execute(() -> call(to, method, arguments));
                            } else {
                                call(to, method, arguments);
                            }
                            return null;
                        });
    }

    private static void call(FuseOperations to, Method method, Object[] arguments) {
        try {
            method.invoke(to, arguments);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
