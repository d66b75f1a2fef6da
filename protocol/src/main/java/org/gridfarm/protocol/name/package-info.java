/**
 * Words as types: names and paths as bytes, node names. Validated where they are made and nowhere
 * else; immutable.
 */
@NullMarked
package org.gridfarm.protocol.name;

import org.jspecify.annotations.NullMarked;
