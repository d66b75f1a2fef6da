package org.gridfarm.campaign;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/**
 * The two ways to run the tests. The counts of both stand side by side in {@code
 * campaign.properties}. Every kind of fault, every property and every assertion is in both tiers;
 * only repetitions differ.
 */
public enum Tier {
    /** {@code mvn verify}: small counts and fixed seeds, so that a failure is the change's own. */
    GATE,
    /** {@code mvn verify -Pcampaign}: large counts and random seeds, which are printed. */
    CAMPAIGN;

    private static final Properties COUNTS = read();

    /** The tier of this JVM: {@code -Dgf.tier=}, which the profile sets. */
    public static Tier current() {
        return valueOf(System.getProperty("gf.tier", "gate").toUpperCase(Locale.ROOT));
    }

    /**
     * How often the tests of this JVM repeat it; {@code -Dgf.NAME=} sets another number.
     *
     * @throws IllegalArgumentException when {@code campaign.properties} has no such name
     */
    public static int count(String name) {
        int usual = current().countOf(name);
        return Integer.getInteger("gf." + name, usual);
    }

    /**
     * The seed of a test: {@code -Dgf.seed=} where given, else the fixed one in the gate and a new
     * one in a campaign. It is printed, so that whatever it found can be replayed.
     */
    public static long seed(long fixed) {
        long usual =
                current() == GATE ? fixed : RandomGenerator.getDefault().nextInt(Integer.MAX_VALUE);
        long seed = Long.getLong("gf.seed", usual);
        System.out.println("replay with -Dgf.seed=" + seed);
        return seed;
    }

    /** All names of counts, in order. */
    public static List<String> names() {
        return List.copyOf(new TreeSet<>(COUNTS.stringPropertyNames()));
    }

    /** The number of this tier. */
    public int countOf(String name) {
        String line = COUNTS.getProperty(name);
        if (line == null) {
            throw new IllegalArgumentException("campaign.properties has no count " + name);
        }
        List<String> columns = Arrays.asList(line.split("\\s+"));
        if (columns.size() != values().length) {
            throw new IllegalArgumentException(name + " has not one count for each tier: " + line);
        }
        return Integer.parseInt(columns.get(ordinal()));
    }

    private static Properties read() {
        Properties counts = new Properties();
        try (InputStream in = Tier.class.getResourceAsStream("campaign.properties")) {
            if (in == null) {
                throw new IllegalStateException("campaign.properties is missing");
            }
            counts.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return counts;
    }
}
