/** The farm as a mounted file system. */
@NullMarked
package org.gridfarm.client.mount;

import org.jspecify.annotations.NullMarked;
