package org.gridfarm.namespace;

/** One name in one directory: 24 bytes beside the name. */
final class Entry {
    final byte[] name;
    Inode inode;
    long cookie;

    Entry(byte[] name, Inode inode, long cookie) {
        this.name = name;
        this.inode = inode;
        this.cookie = cookie;
    }
}
