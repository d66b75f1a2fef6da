/** {@code gf sync}: makes one tree like another, and touches only what differs. */
@NullMarked
package org.gridfarm.client.cli.sync;

import org.jspecify.annotations.NullMarked;
