/** Tests that need more than one component. */
@NullMarked
package org.gridfarm.test;

import org.jspecify.annotations.NullMarked;
