/** The Java API of the farm, for programs that live in their own JVM. */
@NullMarked
package org.gridfarm.client.core;

import org.jspecify.annotations.NullMarked;
