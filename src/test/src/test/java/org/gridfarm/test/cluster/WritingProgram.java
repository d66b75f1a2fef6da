package org.gridfarm.test.cluster;

import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.FarmFile;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.protocol.name.FarmPath;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes files of 16 KiB, of every second one the first half to stable storage, says that it has,
 * and waits: to be killed with all of them open.
 */
final class WritingProgram {
    static final int SYNCED = 8 << 10;
    static final int WRITTEN = 16 << 10;
    static final String DONE = "all are written";

    private WritingProgram() {}

    /** What file that number has in that range. */
    static byte[] content(int number, int from, int to) {
        byte[] content = new byte[to - from];
        for (int i = 0; i < content.length; i++) {
            content[i] = (byte) (number * 7 + (from + i) / 512 + 1);
        }
        return content;
    }

    /** The client's configuration, its node, a directory, and how many files. */
    public static void main(String[] arguments) throws IOException {
        Gridfarm farm =
                Gridfarm.open(ClientConfig.read(Path.of(arguments[0])).withNode(arguments[1]));
        int count = Integer.parseInt(arguments[3]);
        List<FarmFile> open = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            FarmPath path = FarmPath.of(arguments[2] + "/" + i);
            FarmFile file = farm.create(path, OpenFlags.WRITE, true);
            file.write(0, ByteBuffer.wrap(content(i, 0, SYNCED)));
            if (i % 2 == 0) file.sync(); // of the others nobody was told anything
            open.add(file);
        }
        for (int i = 0; i < count; i++) {
            open.get(i).write(SYNCED, ByteBuffer.wrap(content(i, SYNCED, WRITTEN)));
        }
        System.out.println(DONE);
        System.in.read();
    }
}
