@NullMarked
package org.gridfarm.protocol.auth.tls;

import org.jspecify.annotations.NullMarked;
