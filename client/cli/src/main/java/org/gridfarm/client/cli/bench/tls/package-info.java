/** What protection costs: handshakes and bytes with TLS and without, within this process. */
@NullMarked
package org.gridfarm.client.cli.bench.tls;

import org.jspecify.annotations.NullMarked;
