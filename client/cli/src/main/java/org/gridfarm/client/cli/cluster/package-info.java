/**
 * A whole farm on one machine, for development, tests and the demonstration: every component its
 * own OS process, started with the same programs and the same configuration files as a real
 * installation. {@link org.gridfarm.client.cli.cluster.Cluster} is the way in; what runs is written
 * down in {@code DIR/cluster.json}, so any later command finds it. Holds no program logic of the
 * components.
 */
@NullMarked
package org.gridfarm.client.cli.cluster;

import org.jspecify.annotations.NullMarked;
