/**
 * How a mount outlives the process that serves it. {@link
 * org.gridfarm.client.mount.takeover.Supervisor} is a shell script of a megabyte that holds the
 * kernel's device open and starts a process to serve it, again whenever that dies, hangs or is to
 * be replaced; {@link org.gridfarm.client.mount.takeover.Ledger} is a mapped file in which the
 * serving process keeps what the next one needs: session, open files, the number of each change
 * under way. Nothing here talks to the kernel's device or to a server.
 */
@NullMarked
package org.gridfarm.client.mount.takeover;

import org.jspecify.annotations.NullMarked;
