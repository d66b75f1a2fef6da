/**
 * Rules about the text itself, which no compiler reads: lengths, words, and what must not be
 * written at all.
 */
@NullMarked
package org.gridfarm.test.tidy;

import org.jspecify.annotations.NullMarked;
