package org.gridfarm.namespace;

import com.google.protobuf.ByteString;

/**
 * Where a path leads.
 *
 * @param inode what was found; 0: all directories on the way exist, the last name does not
 * @param parent the directory of the last name, after links were followed; of a path that ends in
 *     "/", "." or ".." that of the directory found
 * @param lastName the last name, after links were followed; empty when the path ends in no name
 */
public record Resolved(long inode, long parent, ByteString lastName) {
    public boolean isFound() {
        return inode != 0;
    }
}
