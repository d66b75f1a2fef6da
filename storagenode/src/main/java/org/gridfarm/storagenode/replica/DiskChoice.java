package org.gridfarm.storagenode.replica;

import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.storagenode.disk.DataDirectory;

import java.util.List;

/** Which of its disks a node puts a new replica on. Thread-safe. */
final class DiskChoice {
    private final List<DataDirectory> disks;
    private final Entropy entropy;

    DiskChoice(List<DataDirectory> disks, Entropy entropy) {
        this.disks = disks;
        this.entropy = entropy;
    }

    /**
     * A disk for a new replica, each with the chance of its free space; NO_SPACE when none has room
     * for so many bytes.
     *
     * @param subject for whom, where it fails
     */
    DataDirectory choose(Object subject, long bytes) {
        long total = 0;
        for (DataDirectory disk : disks) {
            long available = disk.available();
            total += available > bytes ? available : 0;
        }
        if (total == 0) {
            boolean allFailed = disks.stream().allMatch(DataDirectory::isFailed);
            throw new FarmException(
                    allFailed ? ErrorKind.DISK_FAILED : ErrorKind.NO_SPACE,
                    "create replica",
                    subject.toString(),
                    allFailed
                            ? "every disk of this node was given up"
                            : "every disk of this node is full but for its reserve");
        }
        double point = entropy.nextDouble() * total;
        DataDirectory last = disks.get(0);
        for (DataDirectory disk : disks) {
            long available = disk.available();
            if (available > bytes) {
                last = disk;
                point -= available;
                if (point < 0) {
                    break;
                }
            }
        }
        return last;
    }
}
