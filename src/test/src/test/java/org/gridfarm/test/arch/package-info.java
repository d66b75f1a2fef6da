/**
 * The walls of the house: which room may know which. One test says one wall; the README has the
 * same list in words. A wall that is in the way is moved by moving the code, or by saying under
 * {@code docs/decisions} why the wall was wrong.
 */
@NullMarked
package org.gridfarm.test.arch;

import org.jspecify.annotations.NullMarked;
