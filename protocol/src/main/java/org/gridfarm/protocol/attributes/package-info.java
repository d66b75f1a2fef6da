/** What attributes of an inode mean, alike for servers and clients. Pure. */
@NullMarked
package org.gridfarm.protocol.attributes;

import org.jspecify.annotations.NullMarked;
