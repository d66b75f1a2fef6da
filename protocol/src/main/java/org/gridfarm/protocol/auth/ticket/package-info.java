/**
 * Tickets: 96 bytes by which a storage node knows, without asking anybody, what a client may do
 * with one object.
 *
 * <p>The metaserver mints them with a key that it shares with that one node for that hour; a stolen
 * node key makes tickets for that node only. A ticket is bound to the node, the object with its
 * generation, the rights, a time and the client's key, so replaying one inside its life gives
 * nobody anything new. There is no list of used tickets.
 */
@NullMarked
package org.gridfarm.protocol.auth.ticket;

import org.jspecify.annotations.NullMarked;
