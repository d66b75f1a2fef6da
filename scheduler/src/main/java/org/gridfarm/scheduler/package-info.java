/** The scheduler: jobs, and the nodes their tasks run on. */
@NullMarked
package org.gridfarm.scheduler;

import org.jspecify.annotations.NullMarked;
