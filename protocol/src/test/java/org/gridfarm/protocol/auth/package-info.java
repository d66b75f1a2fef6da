@NullMarked
package org.gridfarm.protocol.auth;

import org.jspecify.annotations.NullMarked;
