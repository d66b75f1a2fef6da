package org.gridfarm.client.core.transfer.file;

import org.gridfarm.client.core.transfer.local.LocalWriting;
import org.gridfarm.protocol.error.FarmException;

import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * Whether the plain file of an inode was written, is being written, and may be closed later, as the
 * file itself tells. Asked under no lock.
 */
public final class PlainChanges {
    private final OpenInode open;

    PlainChanges(OpenInode open) {
        this.open = open;
    }

    /** The kernel may write into its file, and has not yet; nor has anybody else. */
    public boolean areNone() {
        return saysFile(LocalWriting::isUntouched);
    }

    /** The kernel has written into its file, or it cannot be told that it has not. */
    boolean arePossible() {
        return !saysFile(kernel -> kernel.isUntouched() || kernel.isUnchanged());
    }

    /** The kernel writes the only replica, which is here, for the only one who has it open. */
    public boolean mayRest() {
        return isForOne(LocalWriting::isInPlace);
    }

    /**
     * New, short, and on its way to be the only replica, which is here; nobody else has it open.
     */
    public boolean mayCloseLater() {
        return isForOne(LocalWriting::isNewAndShort);
    }

    /** The only replica, which is the only handle's, with no bound to how far it may grow. */
    private boolean isForOne(Predicate<LocalWriting> question) {
        return open.hasOneHandle()
                && !open.limit.applies()
                && open.content() instanceof Content.Plain plain
                && plain.isOnly()
                && question.test(plain.file());
    }

    /** Others have copies, nobody else has it open, and all of it is read in no time. */
    boolean areShortWithCopies() {
        return open.content() instanceof Content.Plain plain
                && !plain.isOnly()
                && saysFile(LocalWriting::isShort);
    }

    /** Completes when what this process has begun to change in it is there. */
    public CompletableFuture<Void> ended() {
        LocalWriting here = open.content().file();
        return here == null ? CompletableFuture.completedFuture(null) : here.quiet();
    }

    /** False also where there is none, or none any more. */
    private boolean saysFile(Predicate<LocalWriting> question) {
        LocalWriting kernel = open.content().file();
        try {
            return kernel != null && question.test(kernel);
        } catch (FarmException e) {
            if (kernel == open.content().file()) {
                throw e;
            }
            return false; // its last writer has closed it meanwhile
        }
    }
}
