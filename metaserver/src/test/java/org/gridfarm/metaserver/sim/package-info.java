/**
 * Whole metaservers in virtual time: leaders, caches and their changes of role as they run in
 * production ({@link org.gridfarm.metaserver.server.ServerInSimulation}), with clients, a database,
 * an election and connections between all of them that live in one thread and follow from one seed.
 * Servers die, stop and are cut off, leaders change, the database does not answer; {@link
 * org.gridfarm.metaserver.sim.Ledger} watches what clients are told.
 *
 * <p>Simulated is what a metaserver stands on: threads, time, the network beneath its connections,
 * the store and the coordination service. Faults can be planted ({@link
 * org.gridfarm.metaserver.sim.Plant}) to see that they are noticed: in what surrounds the servers,
 * but for what a leader begins with.
 */
package org.gridfarm.metaserver.sim;
