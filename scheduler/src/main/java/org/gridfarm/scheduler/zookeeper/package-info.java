/**
 * Which scheduler works and which ones stand by, as ZooKeeper says. The only room of the scheduler
 * that speaks to it.
 */
@NullMarked
package org.gridfarm.scheduler.zookeeper;

import org.jspecify.annotations.NullMarked;
