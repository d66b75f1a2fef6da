package org.gridfarm.protocol.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.Ticker;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.env.Clock;
import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.util.concurrent.TimeUnit;

/**
 * One end of a connection in a simulation: what a socket's end is in everything (frames, calls,
 * deadlines, pings, who may call what), but that its bytes are carried by whoever simulates: he
 * {@linkplain #written() takes} what this end has written, and {@linkplain #receive gives} it what
 * the other end wrote. Owned by the simulating thread.
 */
public final class SimConnection {
    private final EmbeddedChannel channel;
    private final Connection connection;

    /**
     * A welcomed connection.
     *
     * @param clock moved by the simulation
     * @param services what this end answers
     * @param accepted this end did not dial
     * @param other who the other end has proved to be
     * @param address of the other end
     */
    public SimConnection(
            Clock clock,
            Services services,
            boolean accepted,
            Identity other,
            String address,
            RpcObserver observer) {
        channel = EmbeddedChannel.builder().ticker(new VirtualTicker(clock)).build();
        FrameReader reader = new FrameReader(clock);
        connection =
                new Connection(
                        channel,
                        new ConnectionSettings(services, KeepAlive.DEFAULT, observer, true, clock),
                        accepted,
                        address,
                        other,
                        reader);
        channel.pipeline().addLast("rpc", connection);
        connection.begin();
    }

    public Peer peer() {
        return connection;
    }

    /**
     * Does what has fallen due, and takes what was written since the last call; null if there is
     * nothing.
     */
    public byte @Nullable [] written() {
        channel.runPendingTasks();
        ByteArrayOutputStream all = null;
        for (ByteBuf next = channel.readOutbound(); next != null; next = channel.readOutbound()) {
            if (all == null) all = new ByteArrayOutputStream(next.readableBytes());
            byte[] bytes = new byte[next.readableBytes()];
            next.readBytes(bytes);
            next.release();
            all.writeBytes(bytes);
        }
        return all == null ? null : all.toByteArray();
    }

    /** What the other end has written. */
    public void receive(byte[] bytes) {
        if (connection.isOpen()) channel.writeInbound(Unpooled.wrappedBuffer(bytes));
    }

    /** The other end is gone. */
    public void end() {
        channel.close();
        channel.releaseOutbound();
    }

    public boolean isOpen() {
        return connection.isOpen();
    }

    /** Nobody waits by it: time is moved by the simulation. */
    private record VirtualTicker(Clock clock) implements Ticker {
        @Override
        public long initialNanoTime() {
            return 0;
        }

        @Override
        public long nanoTime() {
            return clock.nanoTime();
        }

        @Override
        public void sleep(long delay, TimeUnit unit) {
            throw new UnsupportedOperationException("time is moved by the simulation");
        }
    }
}
