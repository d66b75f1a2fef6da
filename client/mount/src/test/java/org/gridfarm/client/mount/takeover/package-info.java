@NullMarked
package org.gridfarm.client.mount.takeover;

import org.jspecify.annotations.NullMarked;
