/**
 * One file for each subcommand of {@code gf}: its options, what it asks of the farm, and how the
 * answer is shown to a person or as JSON.
 */
@NullMarked
package org.gridfarm.client.cli.command;

import org.jspecify.annotations.NullMarked;
