@NullMarked
package org.gridfarm.protocol.trace;

import org.jspecify.annotations.NullMarked;
