/**
 * Calls between processes: one TLS connection carries requests, replies and raw file bytes in both
 * directions.
 *
 * <p>A {@link org.gridfarm.protocol.rpc.Method} names a call, {@link
 * org.gridfarm.protocol.rpc.Services} says what a side answers, a {@link
 * org.gridfarm.protocol.rpc.Peer} is the other side of one connection. Servers listen with {@link
 * org.gridfarm.protocol.rpc.RpcServer}; clients dial with {@link
 * org.gridfarm.protocol.rpc.RpcClient}, keep one address connected with {@link
 * org.gridfarm.protocol.rpc.Line} and find the leading metaserver with {@link
 * org.gridfarm.protocol.rpc.LeaderLine}. After the handshake both sides are equal: a server may
 * call its client.
 *
 * <p>Promises: frames of one connection arrive in the order they were sent; a call ends at its
 * deadline at the latest; a connection that stays silent is closed and its calls fail. Nothing here
 * blocks, and nothing here knows a component.
 */
@NullMarked
package org.gridfarm.protocol.rpc;

import org.jspecify.annotations.NullMarked;
