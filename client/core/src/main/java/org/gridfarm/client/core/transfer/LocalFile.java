package org.gridfarm.client.core.transfer;

import org.jspecify.annotations.Nullable;

/**
 * A replica as the plain file it is, granted by the attached node until the handle is closed or the
 * file's data is recalled.
 *
 * @param path absolute, on this host
 * @param size bytes of the object when it was granted
 * @param identity null: not known
 * @param staged number of the staged file it is or was; 0: it has been a replica from the start
 */
public record LocalFile(
        String path, long size, boolean write, @Nullable FileIdentity identity, long staged) {}
