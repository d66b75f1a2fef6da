/**
 * From the words of {@code gf run} to tasks: input sources and replacement strings as in GNU
 * parallel. Pure but for the expansion of globs, which is passed in.
 */
@NullMarked
package org.gridfarm.client.cli.run;

import org.jspecify.annotations.NullMarked;
