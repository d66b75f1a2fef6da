/** Opens files, and keeps those that are open in step with recalls and with the session. */
@NullMarked
package org.gridfarm.client.core.transfer.client;

import org.jspecify.annotations.NullMarked;
