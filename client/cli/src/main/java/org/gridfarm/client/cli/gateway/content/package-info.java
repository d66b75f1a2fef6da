/**
 * Contents on their way: from a file to a client, and from a client into a file, piece by piece.
 */
@NullMarked
package org.gridfarm.client.cli.gateway.content;

import org.jspecify.annotations.NullMarked;
