/** The expression of {@code gf find}: from words to a tree of tests and actions. Pure. */
@NullMarked
package org.gridfarm.client.cli.find;

import org.jspecify.annotations.NullMarked;
