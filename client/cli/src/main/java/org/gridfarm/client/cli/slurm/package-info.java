/**
 * {@code gf run --via slurm}: hands the tasks of a job to a Slurm cluster on the farm's nodes and
 * follows them there. {@link ViaSlurm} owns the tasks and is the only one that decides about them;
 * {@link Slurm} speaks to Slurm by its own commands, {@link Spool} to the farm, where tasks find
 * their commands and leave their output. {@link Preferences} and {@link Spill} are pure. Slurm
 * queues and starts; nothing here does.
 */
@NullMarked
package org.gridfarm.client.cli.slurm;

import org.jspecify.annotations.NullMarked;
