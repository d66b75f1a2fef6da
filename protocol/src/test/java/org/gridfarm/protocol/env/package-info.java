/** The clocks keep what their interface promises. */
@NullMarked
package org.gridfarm.protocol.env;

import org.jspecify.annotations.NullMarked;
