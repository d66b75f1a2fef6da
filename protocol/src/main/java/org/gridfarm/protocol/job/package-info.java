/**
 * What the words of a job mean, for everybody who carries one out: the scheduler, and a client that
 * hands its tasks to another system. Pure; immutable.
 */
@NullMarked
package org.gridfarm.protocol.job;

import org.jspecify.annotations.NullMarked;
