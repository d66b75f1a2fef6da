package org.gridfarm.namespace;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.InodeImage;

/**
 * One command under decision: who asks, what is known, and the changes found so far. Used for one
 * decision.
 */
final class Command {
    final Namespace state;
    final long session;
    final Credentials who;
    final Context context;
    final String operation;
    final Draft draft = new Draft();
    private long now;

    Command(Namespace state, long session, Credentials who, Context context, String operation) {
        this.state = state;
        this.session = session;
        this.who = who;
        this.context = context;
        this.operation = operation;
    }

    /** The same moment throughout the command. */
    long now() {
        if (now == 0) {
            now = context.now();
        }
        return now;
    }

    FarmException refusal(ErrorKind kind, byte[] name) {
        return new FarmException(kind, operation, Names.text(name));
    }

    FarmException refusal(ErrorKind kind, long inode) {
        return new FarmException(kind, operation, Names.text(inode));
    }

    FarmException refusal(ErrorKind kind, long inode, String detail) {
        return new FarmException(kind, operation, Names.text(inode), detail);
    }

    Inode inode(long number) {
        return state.require(number, operation);
    }

    /** A directory in which the asker may look for names. */
    Inode searchable(long number) {
        Inode directory = state.requireDirectory(number, operation);
        Access.require(directory, who, Access.EXECUTE, operation, Names.text(number));
        return directory;
    }

    void requireWritable(Inode directory, byte[] name) {
        Access.require(directory, who, Access.WRITE, operation, Names.text(name));
    }

    /** Content or owner, also through a descriptor that somebody else gave to the asker. */
    boolean mayChange(Inode inode) {
        return Access.owns(inode, who)
                || Access.may(inode, who, Access.WRITE)
                || context.isWriting(session, inode.number);
    }

    /** The content of the directory changed now. */
    InodeImage.Builder modified(Inode directory) {
        return draft.of(directory).setMtime(now()).setCtime(now());
    }

    /** The inode itself changed now. */
    InodeImage.Builder changed(Inode inode) {
        return draft.of(inode).setCtime(now());
    }

    Decision.Accepted accept(long inode, long parent) {
        return new Decision.Accepted(draft.changes(), inode, parent, 0, false);
    }
}
