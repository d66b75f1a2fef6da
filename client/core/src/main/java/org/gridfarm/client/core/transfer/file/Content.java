package org.gridfarm.client.core.transfer.file;

import org.gridfarm.client.core.transfer.known.Place;
import org.gridfarm.client.core.transfer.local.LocalWriting;
import org.jspecify.annotations.Nullable;

/**
 * Where the bytes of an opened file go and come from, as {@link OpenInode#content} finds it at one
 * moment. What differs between the four is asked here, so that each of them has its answer.
 *
 * <pre>
 *            where                                        a change goes              is read, and ends
 * Sent       nothing is written into a plain file here    down the chains            as mode and chain say
 * Plain      nobody else has the file open                into the plain file        in the plain file
 * Both       others have                                  down the chain; where      in the chain
 *                                                         another node heads it,
 *                                                         into the plain file, too
 * Compared   another node headed the chain when mappings  down the chain             in the chain
 *            of the plain file began
 * </pre>
 *
 * <p>What is in the plain file and not in the chain yet, is shipped by its node in Plain and Both,
 * and brought by this process where the node was struck off; in Compared it is found by comparing.
 */
public sealed interface Content {
    Content SENT = new Sent();

    /**
     * The plain file that the kernel or this process writes; null: neither. Only its writers know
     * whether the chain has what is in it.
     */
    @Nullable LocalWriting file();

    /** That file, if it has everything, as long as nobody else writes. */
    @Nullable LocalWriting whole();

    /**
     * That file, if it has everything and would lack what has just gone down the chain: the head of
     * the chain is another node's by now.
     */
    @Nullable LocalWriting besideChain();

    record Sent() implements Content {
        @Override
        public @Nullable LocalWriting file() {
            return null;
        }

        @Override
        public @Nullable LocalWriting whole() {
            return null;
        }

        @Override
        public @Nullable LocalWriting besideChain() {
            return null;
        }
    }

    /**
     * @param here what the replica here is
     */
    record Plain(LocalWriting file, Place here) implements Content {
        /** There is no other replica, as far as the layout holds. */
        public boolean isOnly() {
            return here == Place.ONLY;
        }

        @Override
        public LocalWriting whole() {
            return file;
        }

        @Override
        public @Nullable LocalWriting besideChain() {
            return beside(file, here);
        }
    }

    /**
     * @param here what the replica here is
     */
    record Both(LocalWriting file, Place here) implements Content {
        @Override
        public LocalWriting whole() {
            return file;
        }

        @Override
        public @Nullable LocalWriting besideChain() {
            return beside(file, here);
        }
    }

    record Compared(LocalWriting file) implements Content {
        @Override
        public @Nullable LocalWriting whole() {
            return null;
        }

        @Override
        public @Nullable LocalWriting besideChain() {
            return null;
        }
    }

    private static @Nullable LocalWriting beside(LocalWriting file, Place here) {
        return here != Place.ELSEWHERE || file.mayBeOvertaken() ? null : file;
    }
}
