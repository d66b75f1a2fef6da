/**
 * HTTP/1.1 as the gateway needs it, over Netty's codec: each request is answered by a virtual
 * thread that reads the body and writes the answer as blocking streams, while the connection holds
 * a few pieces of either at a time. Knows nothing of farms.
 */
@NullMarked
package org.gridfarm.client.cli.gateway.http;

import org.jspecify.annotations.NullMarked;
