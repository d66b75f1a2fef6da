/**
 * Is a recorded history linearizable? A history is what several clients did at the same time, each
 * operation with the times of its call and its return; it is right when there is one order of all
 * operations that respects those times and in which a simple sequential model would have given the
 * same answers. The search is that of Wing and Gong with Lowe's memory of states already seen
 * ("Testing for linearizability", 2017).
 */
package org.gridfarm.test.linear;
