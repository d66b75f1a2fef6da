package org.gridfarm.client.core.transfer.local;

import org.gridfarm.client.core.transfer.LocalBlocks;
import org.gridfarm.client.core.transfer.Shares;
import org.gridfarm.client.core.transfer.node.Nodes;
import org.gridfarm.protocol.env.Clock;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The storage node on this host, and what this process has from it: its replicas as plain files.
 *
 * @param name empty: there is none
 * @param ground which local files it may name
 * @param staged what files created here may be made of
 * @param givenBack grants of local files that have ended
 * @param known where local files lie that may be read again soon
 * @param blocks which blocks of local files hold data
 * @param descriptors for local files, by the user who opens them
 * @param disk where they are waited for
 */
public record AttachedNode(
        String name,
        Nodes nodes,
        Clock clock,
        LocalGround ground,
        StagedFiles staged,
        GivenBack givenBack,
        KnownReplicas known,
        AtomicReference<LocalBlocks> blocks,
        Shares descriptors,
        LocalDisk disk) {

    /**
     * @param data below which it may name files; empty: in any data directory
     */
    public static AttachedNode of(String name, List<Path> data, Nodes nodes, Clock clock) {
        return new AttachedNode(
                name,
                nodes,
                clock,
                new LocalGround(clock, data),
                new StagedFiles(nodes, clock),
                new GivenBack(clock),
                new KnownReplicas(clock),
                new AtomicReference<>(LocalBlocks.UNKNOWN),
                new Shares(Descriptors.forReplicas()),
                new LocalDisk());
    }

    public LocalBlocks blocksNow() {
        return Objects.requireNonNull(blocks.get());
    }
}
