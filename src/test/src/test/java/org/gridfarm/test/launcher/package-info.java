/**
 * The launcher as people meet it: a real shell runs {@code ./gf}; the JDK and Maven it finds are
 * scripts that tell how they were called.
 */
@NullMarked
package org.gridfarm.test.launcher;

import org.jspecify.annotations.NullMarked;
