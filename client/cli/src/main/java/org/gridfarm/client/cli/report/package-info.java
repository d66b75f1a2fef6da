/**
 * A job as a page to look at: made of what the scheduler says of it, self-contained, without
 * scripts. Asks nobody and writes no file.
 */
@NullMarked
package org.gridfarm.client.cli.report;

import org.jspecify.annotations.NullMarked;
