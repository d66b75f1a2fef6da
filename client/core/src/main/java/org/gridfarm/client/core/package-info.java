/**
 * The Java API of the farm, for programs that live in their own JVM: {@link org.gridfarm.client.core.Gridfarm} is the way in, {@link
 * org.gridfarm.client.core.ClientConfig} says where the farm is. Blocking calls on paths; the rooms below work on inode numbers and never block.
 */
@NullMarked
package org.gridfarm.client.core;

import org.jspecify.annotations.NullMarked;
