package org.gridfarm.client.core.transfer.file;

import org.gridfarm.client.core.transfer.known.Place;
import org.gridfarm.client.core.transfer.local.LocalWriting;
import org.jspecify.annotations.Nullable;

/**
 * Where the bytes of an opened file go and come from, as {@link OpenInode#content} finds it at one
 * moment.
 *
 * <pre>
 *                                              a change goes                read, size
 * Sent      no plain file is written here      down the chains              as the mode says
 * Plain     one is, and nobody else has the    into it                      in it
 *           file open
 * Both      one is, and others have the file   down the chain, and into it  at the chain
 *           open                               where it would lack that
 * Compared  mappings of one are written, and   down the chain               at the chain
 *           another node headed the chain
 *           when it was granted
 * </pre>
 *
 * <p>What is in a plain file and not in the chain is shipped by the node here or, where that was
 * struck off, brought by this process; of a Compared one it is found by comparing the two.
 */
public sealed interface Content {
    Content SENT = new Sent();

    /** The plain file that the kernel or this process writes; null: neither does. */
    @Nullable LocalWriting file();

    record Sent() implements Content {
        @Override
        public @Nullable LocalWriting file() {
            return null;
        }
    }

    /** The plain file has everything, as long as nobody else writes. */
    sealed interface Whole extends Content {
        @Override
        LocalWriting file();

        /** What the replica here is. */
        Place here();

        /** It would lack what goes down the chain, whose head is another node's by now. */
        default boolean lacksWhatIsSent() {
            return here() == Place.ELSEWHERE && !file().mayBeOvertaken();
        }
    }

    record Plain(LocalWriting file, Place here) implements Whole {
        /** There is no other replica, as far as the layout holds. */
        public boolean isOnly() {
            return here == Place.ONLY;
        }
    }

    record Both(LocalWriting file, Place here) implements Whole {}

    record Compared(LocalWriting file) implements Content {}
}
