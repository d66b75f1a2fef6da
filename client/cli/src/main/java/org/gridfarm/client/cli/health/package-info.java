/**
 * What may be wrong with a farm, by stable codes that people and monitoring can name: what is
 * looked at ({@link org.gridfarm.client.cli.health.FarmHealth}, {@link
 * org.gridfarm.client.cli.health.LocalMounts}), and what somebody does not want to hear of ({@link
 * org.gridfarm.client.cli.health.Muted}).
 */
@NullMarked
package org.gridfarm.client.cli.health;

import org.jspecify.annotations.NullMarked;
