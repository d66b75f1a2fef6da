package org.gridfarm.client.cli.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;

/**
 * The yardstick of the network: what a connection to this machine itself carries, with nothing done
 * to the bytes.
 */
public final class PlainSocket {
    private static final int BLOCK_BYTES = 1 << 20;

    private PlainSocket() {}

    /**
     * In blocks of a MiB.
     *
     * @return bytes a second
     */
    public static double measure(long bytes) throws IOException {
        try (ServerSocketChannel door =
                ServerSocketChannel.open()
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            CompletableFuture<Void> sent = new CompletableFuture<>();
            Thread.ofPlatform().start(() -> send(door, bytes, sent));
            long received = 0;
            long from = System.nanoTime();
            try (SocketChannel channel = SocketChannel.open(door.getLocalAddress())) {
                ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
                for (int n = 0; n >= 0; n = channel.read(block.clear())) {
                    received += n;
                }
            }
            double seconds = (System.nanoTime() - from) / 1e9;
            sent.join();
            return received / seconds;
        }
    }

    private static void send(ServerSocketChannel door, long bytes, CompletableFuture<Void> sent) {
        try (SocketChannel channel = door.accept()) {
            ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
            for (long left = bytes; left > 0; left -= block.limit()) {
                block.clear().limit((int) Math.min(left, BLOCK_BYTES));
                while (block.hasRemaining()) {
                    channel.write(block);
                }
            }
            sent.complete(null);
        } catch (IOException e) {
            sent.completeExceptionally(e);
        }
    }
}
