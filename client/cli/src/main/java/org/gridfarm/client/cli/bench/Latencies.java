package org.gridfarm.client.cli.bench;

/**
 * How long operations took, in buckets that are at most an eighth wider than their lower end. Owned
 * by one thread; {@link #add(Latencies)} joins those of several afterwards.
 */
public final class Latencies {
    private static final int STEPS = 8;
    private final long[] counts = new long[64 * STEPS];
    private long total;

    public void add(long nanos) {
        counts[bucket(Math.max(1, nanos))]++;
        total++;
    }

    public void add(Latencies other) {
        for (int i = 0; i < counts.length; i++) counts[i] += other.counts[i];
        total += other.total;
    }

    public long count() {
        return total;
    }

    /** Microseconds within which this part of the operations ended; 0 if there were none. */
    public double micros(double part) {
        long rank = (long) Math.ceil(part * total);
        long seen = 0;
        for (int i = 0; i < counts.length; i++) {
            seen += counts[i];
            if (seen >= rank && seen > 0) return middle(i) / 1000;
        }
        return 0;
    }

    private static int bucket(long nanos) {
        int power = 63 - Long.numberOfLeadingZeros(nanos);
        int step = power < 3 ? 0 : (int) ((nanos >>> (power - 3)) & (STEPS - 1));
        return power * STEPS + step;
    }

    private static double middle(int bucket) {
        double low = Math.scalb(1.0, bucket / STEPS);
        return low * (1 + (bucket % STEPS + 0.5) / STEPS);
    }
}
