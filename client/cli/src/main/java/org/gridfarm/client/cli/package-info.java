/**
 * The {@code gf} command. {@link org.gridfarm.client.cli.Gf} finds the subcommand and turns
 * failures into one line and an exit status; each subcommand is one file in {@code command}, its
 * help text at the top. Holds no state that a second call would miss.
 */
@NullMarked
package org.gridfarm.client.cli;

import org.jspecify.annotations.NullMarked;
