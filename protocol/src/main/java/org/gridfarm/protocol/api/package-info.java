/**
 * Read this first: every call that passes between components, by service, with its number and
 * whether it may be repeated. The messages are in {@code src/main/proto}. Holds no logic.
 */
@NullMarked
package org.gridfarm.protocol.api;

import org.jspecify.annotations.NullMarked;
