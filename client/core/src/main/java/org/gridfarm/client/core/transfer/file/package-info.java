/** Open files: what their handles share, reading, writing, and making known what was written. */
@NullMarked
package org.gridfarm.client.core.transfer.file;

import org.jspecify.annotations.NullMarked;
