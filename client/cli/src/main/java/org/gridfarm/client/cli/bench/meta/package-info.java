/**
 * Changes and reads of names: through the client library, and through a mount by processes of their
 * own. A {@link org.gridfarm.client.cli.bench.meta.Tree} is where names are; {@link
 * org.gridfarm.client.cli.bench.meta.Phases} is what is done to it.
 */
@NullMarked
package org.gridfarm.client.cli.bench.meta;

import org.jspecify.annotations.NullMarked;
