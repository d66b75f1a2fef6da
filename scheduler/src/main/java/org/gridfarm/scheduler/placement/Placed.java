package org.gridfarm.scheduler.placement;

/** One line of the plan. Locality is local, rack, remote or none (no input). */
public record Placed<T>(T task, String node, String locality) {}
