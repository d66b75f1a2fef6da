package org.gridfarm.client.hadoop;

import org.apache.hadoop.fs.FileChecksum;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** The farm's digest of a file: equal for files of the same content and striping. */
final class FarmChecksum extends FileChecksum {
    static final String ALGORITHM = "GRIDFARM-SHA256-OF-CRC32C";

    private byte[] digest;

    FarmChecksum(byte[] digest) {
        this.digest = digest.clone();
    }

    @Override
    public String getAlgorithmName() {
        return ALGORITHM;
    }

    @Override
    public int getLength() {
        return digest.length;
    }

    @Override
    public byte[] getBytes() {
        return digest.clone();
    }

    @Override
    public void write(DataOutput out) throws IOException {
        out.writeInt(digest.length);
        out.write(digest);
    }

    @Override
    public void readFields(DataInput in) throws IOException {
        digest = new byte[in.readInt()];
        in.readFully(digest);
    }
}
