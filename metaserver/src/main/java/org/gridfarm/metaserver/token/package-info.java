/**
 * Bearer tokens: whether one is good, and for whom. The only room that reads JWTs. It keeps no
 * token and writes none anywhere; what it says of one that is refused holds nothing of it.
 */
@NullMarked
package org.gridfarm.metaserver.token;

import org.jspecify.annotations.NullMarked;
