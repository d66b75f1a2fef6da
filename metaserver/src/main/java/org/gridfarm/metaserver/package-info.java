/** The metaserver: the namespace and the replica map, in memory and in PostgreSQL. */
@NullMarked
package org.gridfarm.metaserver;

import org.jspecify.annotations.NullMarked;
