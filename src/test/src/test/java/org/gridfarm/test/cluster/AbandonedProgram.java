package org.gridfarm.test.cluster;

import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.nio.FarmFileSystemProvider;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Writes a file under a lock, and ends when it has a line to read, with nothing closed. */
final class AbandonedProgram {
    static final String SYNCED = "on stable storage\n";
    static final String WRITTEN = "at the nodes\n";

    private AbandonedProgram() {}

    public static void main(String[] arguments) throws IOException {
        Gridfarm farm = Gridfarm.open(ClientConfig.read(Path.of(arguments[0])));
        Path file = new FarmFileSystemProvider().newFileSystem(farm).getPath(arguments[1]);
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        channel.lock();
        channel.write(ByteBuffer.wrap(SYNCED.getBytes(StandardCharsets.UTF_8)));
        channel.force(true);
        channel.write(ByteBuffer.wrap(WRITTEN.getBytes(StandardCharsets.UTF_8)));
        System.out.println("open");
        System.in.read();
    }
}
