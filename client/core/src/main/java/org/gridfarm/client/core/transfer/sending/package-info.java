/**
 * In which order commands are sent to one object, and what follows when its nodes fail, as pure
 * steps: no IO, no lock, no clock.
 */
@NullMarked
package org.gridfarm.client.core.transfer.sending;

import org.jspecify.annotations.NullMarked;
