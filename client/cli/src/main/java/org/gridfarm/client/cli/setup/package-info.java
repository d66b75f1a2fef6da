/**
 * A farm on hosts of one's own, from one command: {@code gf setup} does what docs/installing.md
 * does by hand, and {@code gf node add} makes the file with which another host joins. Each step
 * knows whether it is done, so that the command can be repeated. Templates and plans are pure;
 * {@link org.gridfarm.client.cli.setup.Host} is where files and commands of this machine are
 * touched.
 */
@NullMarked
package org.gridfarm.client.cli.setup;

import org.jspecify.annotations.NullMarked;
