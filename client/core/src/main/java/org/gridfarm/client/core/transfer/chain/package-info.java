/**
 * What is sent down the chain of one object and what is read from its replicas, over nodes that
 * fail: a write is done when every member has it; a read comes from the nearest good replica,
 * checked. Knows objects and no files.
 */
@NullMarked
package org.gridfarm.client.core.transfer.chain;

import org.jspecify.annotations.NullMarked;
