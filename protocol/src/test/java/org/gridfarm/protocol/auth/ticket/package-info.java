@NullMarked
package org.gridfarm.protocol.auth.ticket;

import org.jspecify.annotations.NullMarked;
