package org.gridfarm.client.core;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * How a file, or what will be made in a directory, is kept. What is empty stays as it is.
 *
 * @param replicas copies of every object
 * @param groups copies by host group, as in {@code siteA:2,siteB:1}
 * @param stripeCount objects over which new content is laid
 * @param stripeUnit bytes per object and round
 */
public record Policy(
        OptionalInt replicas,
        Optional<String> groups,
        OptionalInt stripeCount,
        OptionalLong stripeUnit) {
    public static Policy replicas(int level) {
        return new Policy(
                OptionalInt.of(level), Optional.empty(), OptionalInt.empty(), OptionalLong.empty());
    }

    public static Policy stripes(int count, long unit) {
        return new Policy(
                OptionalInt.empty(),
                Optional.empty(),
                OptionalInt.of(count),
                OptionalLong.of(unit));
    }

    public static Policy groups(String groups) {
        return new Policy(
                OptionalInt.empty(),
                Optional.of(groups),
                OptionalInt.empty(),
                OptionalLong.empty());
    }
}
