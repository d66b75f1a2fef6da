package org.gridfarm.client.cli.gateway.s3;

import org.gridfarm.client.core.FileInfo;
import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * Objects and common prefixes in the order of their keys.
 *
 * @param isWhole nothing follows
 */
record Page(List<Item> items, boolean isWhole) {
    /**
     * @param key of the object, or the prefix
     * @param file null: of a common prefix
     */
    record Item(String key, @Nullable FileInfo file) {}
}
