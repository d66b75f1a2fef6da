package org.gridfarm.protocol.env;

import java.security.SecureRandom;

/** {@link SecureRandom}, which is thread-safe. */
final class SystemEntropy implements Entropy {
    static final SystemEntropy INSTANCE = new SystemEntropy();

    private final SecureRandom random = new SecureRandom();

    private SystemEntropy() {}

    @Override
    public long nextLong() {
        return random.nextLong();
    }

    @Override
    public int nextInt(int bound) {
        return random.nextInt(bound);
    }

    @Override
    public void fill(byte[] bytes) {
        random.nextBytes(bytes);
    }
}
