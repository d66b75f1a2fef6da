package org.gridfarm.metaserver.quota;

/** One whose usage is counted: a uid, a gid, or the inode of a directory. */
public record Subject(Kind kind, long id) {
    @Override
    public String toString() {
        return kind.text()
                + " "
                + (kind == Kind.DIRECTORY ? Long.toHexString(id) : Long.toString(id));
    }
}
