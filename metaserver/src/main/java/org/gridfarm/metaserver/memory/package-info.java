/** The store in memory, with the promises of the real one: for tests and the simulator. */
@NullMarked
package org.gridfarm.metaserver.memory;

import org.jspecify.annotations.NullMarked;
