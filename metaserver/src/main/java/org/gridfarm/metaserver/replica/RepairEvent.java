package org.gridfarm.metaserver.replica;

/** What moves the planner on; {@code now} is monotonic, in nanoseconds. */
public sealed interface RepairEvent {
    /** Time passes: to be told some times a second. */
    record Tick(long now) implements RepairEvent {}

    /** A copy ended. When it was made, its row has been applied before. */
    record Finished(RepairEffect.Copy copy, boolean made, long now) implements RepairEvent {}
}
