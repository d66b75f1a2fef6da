package org.gridfarm.client.cli.bench.data;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The yardstick of the network: a file's bytes through one plain socket of this machine. */
final class SocketTransfer {
    private SocketTransfer() {}

    /** MB/s; the file is read, sent and received in pieces of a MiB. */
    static double rate(Path file) throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open();
                FileChannel content = FileChannel.open(file, StandardOpenOption.READ)) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            long bytes = content.size();
            long began = System.nanoTime();
            Streams.run(
                    2,
                    side -> {
                        if (side == 0) send(server, content);
                        else receive(server.getLocalAddress(), bytes);
                    });
            return bytes / 1e6 / ((System.nanoTime() - began) / 1e9);
        }
    }

    private static void send(ServerSocketChannel server, FileChannel content) throws IOException {
        ByteBuffer piece = ByteBuffer.allocateDirect(Content.MIB);
        try (SocketChannel to = server.accept()) {
            while (content.read(piece.clear()) > 0) {
                piece.flip();
                while (piece.hasRemaining()) to.write(piece);
            }
        }
    }

    private static void receive(java.net.SocketAddress from, long bytes) throws IOException {
        ByteBuffer piece = ByteBuffer.allocateDirect(Content.MIB);
        try (SocketChannel source = SocketChannel.open(from)) {
            for (long got = 0; got < bytes; ) {
                int more = source.read(piece.clear());
                if (more < 0) throw new IOException("the sender ended after " + got + " bytes");
                got += more;
            }
        }
    }
}
