/** A request at work: whom it is for, which path it means, and what a failure of it is called. */
@NullMarked
package org.gridfarm.client.cli.gateway.call;

import org.jspecify.annotations.NullMarked;
