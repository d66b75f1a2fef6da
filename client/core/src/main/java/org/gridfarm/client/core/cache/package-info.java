/**
 * What a client remembers of the namespace under its lease: attributes, entries, absent names,
 * listings.
 *
 * <p>Pure memory: no calls, no clock. Whoever asks first makes sure that the lease holds. A fill is
 * accepted only if neither a recall nor a change by this client touched its key since it was asked
 * for; while a change by this client is under way its keys are not served.
 */
@NullMarked
package org.gridfarm.client.core.cache;

import org.jspecify.annotations.NullMarked;
