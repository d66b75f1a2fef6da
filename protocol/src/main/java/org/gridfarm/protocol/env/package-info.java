/**
 * The outside world as small interfaces: time, chance and the disk.
 *
 * <p>Code that decides something takes these as parameters, so that a test can run it in virtual
 * time, from a seed, on a disk that loses power. Each has a system body for daemons and a simulated
 * one that passes the same contract test. The network's seam is {@link
 * org.gridfarm.protocol.rpc.Dialer}.
 */
@NullMarked
package org.gridfarm.protocol.env;

import org.jspecify.annotations.NullMarked;
