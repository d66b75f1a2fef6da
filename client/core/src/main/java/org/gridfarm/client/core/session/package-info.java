/**
 * One client process towards the metaservers: its session on the leader and on the server it reads
 * from, the lease, and calls that outlive a change of leader.
 *
 * <p>A session is one random number, the same on every server. It is renewed every second; when the
 * lease may have run out nothing cached is believed. After a fail-over those who hold state at the
 * leader (open files, locks) re-establish it before ordinary calls go on.
 */
@NullMarked
package org.gridfarm.client.core.session;

import org.jspecify.annotations.NullMarked;
