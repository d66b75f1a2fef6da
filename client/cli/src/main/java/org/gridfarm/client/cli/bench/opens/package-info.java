/** What it costs to open a file that is there, to change a little of it and to close it. */
@NullMarked
package org.gridfarm.client.cli.bench.opens;

import org.jspecify.annotations.NullMarked;
