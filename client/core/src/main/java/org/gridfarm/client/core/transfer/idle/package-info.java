/**
 * Files that nobody uses any more and that are still open at the metaserver, for whoever comes
 * back; and how it is told when they are not.
 */
@NullMarked
package org.gridfarm.client.core.transfer.idle;

import org.jspecify.annotations.NullMarked;
