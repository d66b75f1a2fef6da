/** The command line: one file for each subcommand of gf. */
@NullMarked
package org.gridfarm.client.cli;

import org.jspecify.annotations.NullMarked;
