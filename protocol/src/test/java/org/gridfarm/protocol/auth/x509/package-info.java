@NullMarked
package org.gridfarm.protocol.auth.x509;

import org.jspecify.annotations.NullMarked;
