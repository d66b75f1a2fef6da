/**
 * How often the tests of all modules repeat what they repeat, and which seeds they use. Tests
 * depend on it, the product does not.
 */
@NullMarked
package org.gridfarm.campaign;

import org.jspecify.annotations.NullMarked;
