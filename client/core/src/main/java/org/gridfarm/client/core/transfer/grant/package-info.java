/**
 * What state the grant to write into a plain file is in, as pure steps: no IO, no lock, no clock.
 */
@NullMarked
package org.gridfarm.client.core.transfer.grant;

import org.jspecify.annotations.NullMarked;
