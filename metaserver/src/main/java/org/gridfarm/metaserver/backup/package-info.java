/**
 * The metadata of a farm in one file, to be kept elsewhere: {@code gf meta dump} and {@code gf meta
 * restore}. The format is described at {@link org.gridfarm.metaserver.backup.DumpFile}. Knows the
 * rows of the farm as messages, and the database only as a {@link
 * org.gridfarm.metaserver.backup.BackupStore}.
 */
@NullMarked
package org.gridfarm.metaserver.backup;

import org.jspecify.annotations.NullMarked;
