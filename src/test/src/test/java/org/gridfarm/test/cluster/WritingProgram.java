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
 * Writes files of two blocks, of every second one the first to stable storage; then one into which
 * it goes on writing until many blocks went into the plain file. Says how many, and waits: to be
 * killed with all of them open.
 */
final class WritingProgram {
    static final String WROTE = "wrote "; // among what else is said
    static final int BLOCK = 8 << 10;
    private static final int BLOCKS_HERE = 100;

    private WritingProgram() {}

    /** The first blocks of the file of that number. */
    static byte[] content(int number, int blocks) {
        return content(number, 0, blocks * BLOCK);
    }

    private static byte[] content(int number, int from, int to) {
        byte[] content = new byte[to - from];
        for (int i = 0; i < content.length; i++) {
            content[i] = (byte) (number * 7 + (from + i) / 512 + 1);
        }
        return content;
    }

    private static ByteBuffer block(int number, int block) {
        return ByteBuffer.wrap(content(number, block * BLOCK, (block + 1) * BLOCK));
    }

    /** The client's configuration, its node, a directory, and how many files of two blocks. */
    public static void main(String[] arguments) throws IOException {
        Gridfarm farm =
                Gridfarm.open(ClientConfig.read(Path.of(arguments[0])).withNode(arguments[1]));
        int count = Integer.parseInt(arguments[3]);
        List<FarmFile> open = new ArrayList<>();
        for (int i = 0; i <= count; i++) {
            FarmPath path = FarmPath.of(arguments[2] + "/" + i);
            FarmFile file = farm.create(path, OpenFlags.WRITE, true);
            file.write(0, block(i, 0));
            if (i % 2 == 0) file.sync(); // of the others nobody was told anything
            open.add(file);
        }
        for (int i = 0; i < count; i++) {
            open.get(i).write(BLOCK, block(i, 1));
        }
        FarmFile last = open.get(count);
        int blocks = 1;
        for (int here = 0; here < BLOCKS_HERE; blocks++) {
            last.write((long) blocks * BLOCK, block(count, blocks));
            here += last.handle().sizeHere() >= 0 ? 1 : 0;
        }
        System.out.println(WROTE + blocks);
        System.in.read();
    }
}
