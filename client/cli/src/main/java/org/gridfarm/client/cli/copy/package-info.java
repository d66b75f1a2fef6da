/**
 * Trees between the local file system and the farm, for {@code gf put} and {@code gf get}: several
 * files at a time, symbolic links as links, with modes and times of modification.
 */
@NullMarked
package org.gridfarm.client.cli.copy;

import org.jspecify.annotations.NullMarked;
