/** What the servers that share a database share of its use. */
@NullMarked
package org.gridfarm.protocol.database;

import org.jspecify.annotations.NullMarked;
