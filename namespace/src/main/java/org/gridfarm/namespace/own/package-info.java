/**
 * The part of the namespace that a session decides about by itself: directories that the leader has
 * delegated to it, and the files in them. Pure.
 */
@NullMarked
package org.gridfarm.namespace.own;

import org.jspecify.annotations.NullMarked;
