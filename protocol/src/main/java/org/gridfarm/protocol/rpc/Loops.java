package org.gridfarm.protocol.rpc;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.FastThreadLocalThread;

import org.gridfarm.protocol.env.SharedThread;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The network threads of a process: event loops for all its servers and clients, and one thread for
 * the arithmetic of TLS handshakes, which would hold up everybody else on a loop. Epoll where the
 * machine has it, NIO elsewhere.
 */
public final class Loops implements AutoCloseable {
    private final EventLoopGroup group;
    private final ThreadPoolExecutor handshakes;
    private final boolean epoll;
    private final FrameRoom room = FrameRoom.ofThisProcess();
    private final RequestRoom requests = RequestRoom.ofThisProcess();

    /** Event loops whose threads are named after the component; they are daemon threads. */
    public static Loops start(String component, int threads) {
        return new Loops(component, threads, Epoll.isAvailable());
    }

    public static Loops start(String component) {
        return start(component, RpcLimits.LOOP_THREADS_DEFAULT);
    }

    /** Without epoll even where there is one. */
    public static Loops startPortable(String component, int threads) {
        return new Loops(component, threads, false);
    }

    private Loops(String component, int threads, boolean epoll) {
        this.epoll = epoll;
        IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        group = new MultiThreadIoEventLoopGroup(threads, new NetworkThreads(component + "-io"), io);
        handshakes =
                new ThreadPoolExecutor(
                        1,
                        1,
                        5,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(RpcLimits.HANDSHAKES_QUEUED_MAX),
                        new DefaultThreadFactory(component + "-tls", true));
        handshakes.allowCoreThreadTimeOut(true);
    }

    private static final class NetworkThreads extends DefaultThreadFactory {
        NetworkThreads(String name) {
            super(name, true);
        }

        @Override
        protected Thread newThread(Runnable work, String name) {
            return new NetworkThread(threadGroup, work, name);
        }
    }

    private static final class NetworkThread extends FastThreadLocalThread implements SharedThread {
        NetworkThread(@Nullable ThreadGroup group, Runnable work, String name) {
            super(group, work, name);
        }
    }

    /** For others who speak over Netty in this process. */
    public EventLoopGroup group() {
        return group;
    }

    public Class<? extends ServerSocketChannel> serverChannel() {
        return epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }

    public Class<? extends SocketChannel> socketChannel() {
        return epoll ? EpollSocketChannel.class : NioSocketChannel.class;
    }

    /** For what arrives over all connections that this process accepted. */
    FrameRoom room() {
        return room;
    }

    /** For what was asked over all connections that this process accepted. */
    RequestRoom requests() {
        return requests;
    }

    /** Where {@code TlsContexts} has its handshakes computed. */
    public Executor handshakes() {
        return handshakes;
    }

    /** Closes every connection and waits up to two seconds for the threads to end. */
    @Override
    public void close() {
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
        handshakes.shutdownNow();
    }
}
