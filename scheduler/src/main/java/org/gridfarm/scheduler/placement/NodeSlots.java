package org.gridfarm.scheduler.placement;

/**
 * A live node with what it can still take.
 *
 * @param free slots not taken now
 * @param slots slots in all
 */
public record NodeSlots(String name, String rack, int free, int slots) {}
