package org.gridfarm.metaserver.replica;

import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaKey;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.protocol.wire.WritingChain;
import org.gridfarm.protocol.wire.WritingImage;

import java.util.ArrayList;
import java.util.List;

/** The changes of replicas, and of who writes, that opening, committing and sealing files make. */
public final class FileChanges {
    private FileChanges() {}

    /** Joining members of a content that goes as a whole. */
    public static List<Change> joiningGone(WritingImage writing) {
        List<Change> changes = new ArrayList<>();
        for (WritingChain chain : writing.getChainsList()) {
            for (String node : chain.getJoiningList()) {
                changes.add(
                        gone(
                                ReplicaImage.newBuilder()
                                        .setInode(writing.getInode())
                                        .setStripe(chain.getStripe())
                                        .setGeneration(writing.getGeneration())
                                        .setNode(node)
                                        .build()));
            }
        }
        return changes;
    }

    public static Change row(InodeImage image, int stripe, String node, ReplicaState wanted) {
        return Change.newBuilder()
                .setReplica(
                        ReplicaImage.newBuilder()
                                .setInode(image.getInode())
                                .setStripe(stripe)
                                .setGeneration(image.getGeneration())
                                .setNode(node)
                                .setState(wanted))
                .build();
    }

    public static Change gone(ReplicaImage row) {
        return Change.newBuilder()
                .setReplicaGone(
                        ReplicaKey.newBuilder()
                                .setInode(row.getInode())
                                .setStripe(row.getStripe())
                                .setGeneration(row.getGeneration())
                                .setNode(row.getNode()))
                .build();
    }

    public static Change gone(InodeImage image, int stripe, String node) {
        return gone(
                ReplicaImage.newBuilder()
                        .setInode(image.getInode())
                        .setStripe(stripe)
                        .setGeneration(image.getGeneration())
                        .setNode(node)
                        .build());
    }

    public static Change writing(WritingImage image) {
        return Change.newBuilder().setWriting(image).build();
    }

    public static Change writingEnds(long inode) {
        return writing(WritingImage.newBuilder().setInode(inode).setGone(true).build());
    }
}
