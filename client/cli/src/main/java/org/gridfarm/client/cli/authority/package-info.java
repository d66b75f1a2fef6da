/**
 * The authority of a small site ({@code gf ca}, {@code gf cluster}) in a directory of its own: key
 * and certificate, {@link org.gridfarm.client.cli.authority.Register what it has issued}, and the
 * files that the hosts of the farm trust. How certificates are written is in {@code
 * protocol.auth.x509}; here is what is remembered of them.
 */
@NullMarked
package org.gridfarm.client.cli.authority;

import org.jspecify.annotations.NullMarked;
