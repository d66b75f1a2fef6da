/**
 * Who leads and who is there, by ZooKeeper. ZooKeeper only chooses; that a deposed leader cannot
 * commit is the database's fence. The only room of the metaserver that speaks ZooKeeper.
 */
@NullMarked
package org.gridfarm.metaserver.zookeeper;

import org.jspecify.annotations.NullMarked;
