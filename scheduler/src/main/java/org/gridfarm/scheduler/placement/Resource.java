package org.gridfarm.scheduler.placement;

/** What a task may ask of its node beside slots. */
public enum Resource {
    MEMORY,
    DISK,
    GPUS
}
