/**
 * The failure vocabulary: a closed list of kinds, each mapped once to errno, exit status, retry
 * rule and phrase. Every component throws {@link org.gridfarm.protocol.error.FarmException}; nobody
 * reads message texts.
 */
@NullMarked
package org.gridfarm.protocol.error;

import org.jspecify.annotations.NullMarked;
