/** What a layout means: where in its objects the bytes of a file lie. Pure. */
@NullMarked
package org.gridfarm.protocol.layout;

import org.jspecify.annotations.NullMarked;
