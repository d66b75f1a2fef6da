package org.gridfarm.client.core.metadata;

import org.gridfarm.protocol.wire.DirectoryEntry;

import java.util.List;

/**
 * Consecutive entries of a directory.
 *
 * @param end nothing follows the last entry
 * @param parent the directory above, for ".."
 * @param leased the listing stays true until recalled, so the kernel may keep it
 */
public record DirectoryPage(
        List<DirectoryEntry> entries, boolean end, long parent, boolean leased) {}
