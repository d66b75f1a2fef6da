/** What every component says to every other; this module knows no component. */
@NullMarked
package org.gridfarm.protocol;

import org.jspecify.annotations.NullMarked;
