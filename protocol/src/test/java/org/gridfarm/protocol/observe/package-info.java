/** Metrics and health as a scraper sees them. */
@NullMarked
package org.gridfarm.protocol.observe;

import org.jspecify.annotations.NullMarked;
