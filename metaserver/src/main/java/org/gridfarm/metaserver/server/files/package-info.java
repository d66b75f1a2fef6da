/**
 * The leader's calls about files: mutations, opens and closes, who writes a file and on which
 * chain, and what becomes of a chain or of a writer that fails. Event thread.
 *
 * <p>Which nodes a chain is made of, and how nodes are spoken to, is asked of the room of nodes.
 */
@NullMarked
package org.gridfarm.metaserver.server.files;

import org.jspecify.annotations.NullMarked;
