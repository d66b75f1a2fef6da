package org.gridfarm.client.core.transfer.file;

import org.gridfarm.client.core.transfer.known.Place;
import org.gridfarm.client.core.transfer.local.LocalWriting;
import org.gridfarm.protocol.wire.DataMode;
import org.jspecify.annotations.Nullable;

/**
 * Whether an opened file is written into its plain file here, and whether its chains are known to
 * agree on what was sent down them. A value, whose steps make the next one; a dash leaves it as it
 * is. By whom the file is written it says itself ({@link LocalWriting.By}).
 *
 * <pre>
 *                granted        changedUnseen   doubted        settled   ended    lastWriterLeft
 * Sent           Here           Unsure          Unsure         -         -        -
 * Unsure         Here, unsure   -               -              Sent      -        Sent
 * Here           -              -               Here, unsure   -         Sent     Sent
 * Here, unsure   -              -               -              Here      Unsure   Sent
 * </pre>
 *
 * <p>Of what is written Here the file tells whether the chain has to be asked.
 *
 * @param file null: every change goes down the chains
 */
record WritingHere(@Nullable LocalWriting file, Chains chains) {
    /** Nothing has been written. */
    static final WritingHere NONE = new WritingHere(null, Chains.AGREED);

    /** The members of the chains, on what was sent to them. */
    enum Chains {
        AGREED,
        /** A change may stand on some of them alone. */
        UNSURE
    }

    boolean isHere() {
        return file != null;
    }

    boolean isUnsure() {
        return chains == Chains.UNSURE;
    }

    /**
     * @param here what the replica here is
     */
    Content content(DataMode mode, Place here) {
        if (file == null) {
            return Content.SENT;
        }
        if (file.isCompared()) {
            return new Content.Compared(file);
        }
        return mode == DataMode.EXCLUSIVE
                ? new Content.Plain(file, here)
                : new Content.Both(file, here);
    }

    /** From now on the object may change behind the chain's back. */
    WritingHere granted(LocalWriting given) {
        return isHere() ? this : new WritingHere(given, chains);
    }

    /** By the kernel, which may have been given a file that is not written here any more. */
    WritingHere changedUnseen() {
        return isHere() ? this : doubted();
    }

    /** A change failed, or was made by a former process. */
    WritingHere doubted() {
        return new WritingHere(file, Chains.UNSURE);
    }

    /** Whoever has asked makes the chains agree, or says again that they do not. */
    WritingHere settled() {
        return new WritingHere(file, Chains.AGREED);
    }

    /** What is written from now on goes down the chains. */
    WritingHere ended() {
        return new WritingHere(null, chains);
    }

    /** Nobody is left who could make anything agree. */
    WritingHere lastWriterLeft() {
        return NONE;
    }
}
