/**
 * The coherence of the metaservers in virtual time: the real machines of {@code
 * metaserver.coherence} in servers, clients, a database and a network that live in one thread and
 * follow from one seed. Servers die, stop and are cut off, leaders change; {@link
 * org.gridfarm.test.sim.Ledger} watches what clients are told. Faults can be planted ({@link
 * org.gridfarm.test.sim.Plant}) to see that they are noticed: always in what surrounds the machines
 * here, never in the product.
 */
package org.gridfarm.test.sim;
