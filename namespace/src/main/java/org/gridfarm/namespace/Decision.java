package org.gridfarm.namespace;

import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.MutateReply;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** The outcome of {@link Namespace#decide}: nothing has been changed yet. */
public sealed interface Decision {
    /** The command fails and changes nothing. */
    record Refused(FarmException failure) implements Decision {}

    /**
     * The command succeeds once the changes are applied, in order and together.
     *
     * @param changes absolute after-images, without origin; empty when there is nothing to change
     * @param inode the object made or changed; it may be gone afterwards
     * @param parent the directory changed, 0 if none
     * @param otherParent rename: the target directory, 0 if it is the same or there is none
     * @param created whether the inode was made by this command (a create without O_EXCL may find
     *     it)
     */
    record Accepted(
            List<Change> changes, long inode, long parent, long otherParent, boolean created)
            implements Decision {
        public Accepted {
            changes = List.copyOf(changes);
        }

        /** What goes with these changes, before they are applied; null: nothing does. */
        public Attributes.@Nullable Builder going(Namespace before) {
            for (Change change : changes) {
                if (change.hasInodeGone()) {
                    return before.attributes(change.getInodeGone());
                }
            }
            return null;
        }

        /**
         * The reply, to be made after the changes have been applied; without revision and opened
         * file.
         *
         * @param gone what {@link #going} said before
         */
        public MutateReply.Builder reply(Namespace after, Attributes.@Nullable Builder gone) {
            MutateReply.Builder reply = MutateReply.newBuilder();
            if (after.exists(inode)) {
                reply.setAttributes(after.attributes(inode));
            } else {
                reply.setAttributes(Attributes.newBuilder().setInode(inode)); // nlink 0: gone
            }
            if (parent != 0 && after.exists(parent)) {
                reply.setParent(after.attributes(parent));
            }
            if (otherParent != 0 && after.exists(otherParent)) {
                reply.setOtherParent(after.attributes(otherParent));
            }
            changes.stream()
                    .filter(Change::hasInode)
                    .mapToLong(change -> change.getInode().getInode())
                    .filter(changed -> isOther(changed) && after.exists(changed))
                    .findFirst() // a whiteout comes later, and nobody knows it yet
                    .ifPresent(changed -> reply.setOther(after.attributes(changed)));
            if (gone != null) {
                Attributes directory =
                        otherParent != 0 ? reply.getOtherParent() : reply.getParent();
                reply.setGone(gone.setNlink(0).setCtime(directory.getCtime()));
            }
            return reply;
        }

        private boolean isOther(long changed) {
            return changed != inode && changed != parent && changed != otherParent;
        }
    }
}
