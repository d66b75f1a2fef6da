package org.gridfarm.client.cli.gateway.s3.auth;

import java.nio.ByteBuffer;

/**
 * CRC-64/NVME (NVM Command Set Specification, section 5.2.1.3.4), which Java does not have: eight
 * bytes at a time by eight tables.
 */
final class Crc64Nvme implements Checksum {
    /** 0xAD93D23594C93659, the lowest bit first. */
    private static final long POLYNOMIAL = 0x9A6C9329AC4BC9B5L;

    private static final int AT_ONCE = 8;
    private static final long[][] TABLES = tables();

    private long crc = -1;

    private static long[][] tables() {
        long[][] tables = new long[AT_ONCE][256];
        for (int b = 0; b < 256; b++) {
            long value = b;
            for (int bit = 0; bit < 8; bit++) {
                value = (value & 1) == 0 ? value >>> 1 : (value >>> 1) ^ POLYNOMIAL;
            }
            tables[0][b] = value;
        }
        for (int t = 1; t < AT_ONCE; t++) {
            for (int b = 0; b < 256; b++) {
                long before = tables[t - 1][b];
                tables[t][b] = (before >>> 8) ^ tables[0][(int) before & 0xff];
            }
        }
        return tables;
    }

    @Override
    public void update(byte[] bytes, int offset, int length) {
        ByteBuffer words =
                ByteBuffer.wrap(bytes, offset, length).order(java.nio.ByteOrder.LITTLE_ENDIAN);
        while (words.remaining() >= AT_ONCE) {
            long word = words.getLong() ^ crc;
            crc = 0;
            for (int i = 0; i < AT_ONCE; i++) {
                crc ^= TABLES[AT_ONCE - 1 - i][(int) (word >>> (8 * i)) & 0xff];
            }
        }
        while (words.hasRemaining()) {
            crc = (crc >>> 8) ^ TABLES[0][(int) (crc ^ words.get()) & 0xff];
        }
    }

    @Override
    public byte[] value() {
        return ByteBuffer.allocate(Long.BYTES).putLong(~crc).array();
    }
}
