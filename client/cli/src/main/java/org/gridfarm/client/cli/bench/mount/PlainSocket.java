package org.gridfarm.client.cli.bench.mount;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;

/** What a connection to this machine itself carries, with nothing done to the bytes. */
final class PlainSocket {
    private PlainSocket() {}

    /** Megabytes a second. */
    static double measure(int megabytes) throws IOException {
        try (ServerSocketChannel door =
                ServerSocketChannel.open()
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            CompletableFuture<Void> sent = new CompletableFuture<>();
            Thread.ofPlatform().start(() -> send(door, megabytes, sent));
            long bytes = 0;
            long from = System.nanoTime();
            try (SocketChannel channel = SocketChannel.open(door.getLocalAddress())) {
                ByteBuffer block = ByteBuffer.allocateDirect(DataShapes.MEGABYTE);
                for (int n = 0; n >= 0; n = channel.read(block.clear())) {
                    bytes += n;
                }
            }
            double seconds = (System.nanoTime() - from) / 1e9;
            sent.join();
            return bytes / (double) DataShapes.MEGABYTE / seconds;
        }
    }

    private static void send(
            ServerSocketChannel door, int megabytes, CompletableFuture<Void> sent) {
        try (SocketChannel channel = door.accept()) {
            ByteBuffer block = ByteBuffer.allocateDirect(DataShapes.MEGABYTE);
            for (int i = 0; i < megabytes; i++) {
                block.clear();
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
