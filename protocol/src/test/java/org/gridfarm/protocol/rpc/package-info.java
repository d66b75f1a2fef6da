/**
 * Connections over real sockets: what they promise, and what they do when the other side breaks the
 * rules.
 */
@NullMarked
package org.gridfarm.protocol.rpc;

import org.jspecify.annotations.NullMarked;
