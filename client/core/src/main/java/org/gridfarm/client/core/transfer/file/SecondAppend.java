package org.gridfarm.client.core.transfer.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

import org.gridfarm.client.core.transfer.known.Chain;
import org.gridfarm.client.core.transfer.node.TransferLimits;
import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.AppendSeen;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.DataMode;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.StatObjectRequest;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * An append that a former process may have begun or done. The nodes of the chain know it by its
 * number. Where they cannot know (they have restarted, or the former process wrote the plain file
 * itself), what stands in the file tells. What is there is written once more where it is, since not
 * every member of the chain need have it; what is not goes to the end like any append.
 *
 * <p>What stands in the file is mistaken where the same bytes were appended before: by another
 * client behind the end that the kernel knew, or, where nobody else has the file open, as the very
 * last ones.
 */
final class SecondAppend {
    private static final Duration ASKED_FOR = Duration.ofSeconds(2);

    private final Wiring wiring;
    private final OpenInode open;
    private final FileReads reads;
    private final FileWrites writes;

    SecondAppend(Wiring wiring, OpenInode open, FileReads reads, FileWrites writes) {
        this.wiring = wiring;
        this.open = open;
        this.reads = reads;
        this.writes = writes;
    }

    /** Where it is; the buffer is taken over. */
    CompletableFuture<Long> append(ByteBuf bytes, long number, long end) {
        return place(bytes, number, end)
                .handle((place, thrown) -> {
                    if (thrown != null) {
                        bytes.release();
                        throw FarmException.of(thrown, "append", "");
                    }
                    return place;
                })
                .thenCompose(place ->
                        place < 0
                                ? writes.append(bytes, number)
                                : writes.write(place, bytes, number).thenApply(done -> place));
    }

    /** -1: it is not there. */
    private CompletableFuture<Long> place(ByteBuf bytes, long number, long end) {
        return open.layout()
                .thenCompose(layout ->
                        open.striping().count() > 1
                                ? CompletableFuture.completedFuture(
                                        ChainOutcome.getDefaultInstance())
                                : ask(Chain.in(layout, 0, wiring.session().id()), number))
                .thenCompose(told ->
                        switch (told.getAppendSeen()) {
                            case APPEND_DONE -> CompletableFuture.completedFuture(told.getOffset());
                            case APPEND_NOT_DONE -> CompletableFuture.completedFuture(-1L);
                            default -> look(bytes, end);
                        });
    }

    // ---- by its number
    // -----------------------------------------------------------------------------------------------------------

    private CompletableFuture<ChainOutcome> ask(Chain chain, long number) {
        StatObjectRequest.Append append =
                StatObjectRequest.Append.newBuilder()
                        .setWriter(chain.writer())
                        .setId(number)
                        .setFence(Wiring.fencesBefore(wiring.session()))
                        .build();
        return ask(chain, chain.members(), append);
    }

    /**
     * The head does everything first. A member says only what it knows by itself: that it was not
     * done counts where none before it has answered otherwise.
     */
    private CompletableFuture<ChainOutcome> ask(
            Chain chain, List<Replica> members, StatObjectRequest.Append append) {
        if (members.isEmpty()) {
            return CompletableFuture.completedFuture(ChainOutcome.getDefaultInstance());
        }
        Replica member = members.get(0);
        StatObjectRequest request =
                StatObjectRequest.newBuilder()
                        .setObject(chain.object())
                        .setTicket(member.getTicket())
                        .setAppend(append)
                        .build();
        return wiring.nodes()
                .connect(member)
                .thenCompose(peer -> peer.callPlain(StorageMethods.STAT, request, ASKED_FOR))
                .handle((told, thrown) -> {
                    boolean knows =
                            thrown == null && told.getAppendSeen() != AppendSeen.APPEND_NOT_KNOWN;
                    return knows
                            ? CompletableFuture.completedFuture(told)
                            : ask(chain, members.subList(1, members.size()), append)
                                    .thenApply(later -> thrown == null ? doubted(later) : later);
                })
                .thenCompose(told -> told);
    }

    private static ChainOutcome doubted(ChainOutcome told) {
        return told.getAppendSeen() == AppendSeen.APPEND_DONE
                ? told
                : ChainOutcome.getDefaultInstance();
    }

    // ---- by its bytes
    // ------------------------------------------------------------------------------------------------------------

    private CompletableFuture<Long> look(ByteBuf bytes, long end) {
        boolean alone = open.mode() == DataMode.EXCLUSIVE;
        long from = alone ? Math.max(end, sizeAlone() - bytes.readableBytes()) : end;
        return reads.read(from, TransferLimits.TRANSFER_BYTES_MAX)
                .thenApply(there -> {
                    try {
                        int found = ByteBufUtil.indexOf(bytes, there);
                        if (found >= 0) {
                            return from + found - there.readerIndex();
                        }
                        return alone && isBegun(there, bytes) ? from : -1L;
                    } finally {
                        there.release();
                    }
                });
    }

    /**
     * The kernel has one append at a time under way, so it is the last where nobody else writes.
     */
    private long sizeAlone() {
        return open.content() instanceof Content.Plain plain
                ? plain.file().replica.size()
                : open.size();
    }

    private static boolean isBegun(ByteBuf there, ByteBuf bytes) {
        int begun = there.readableBytes();
        return begun > 0
                && begun < bytes.readableBytes()
                && there.equals(bytes.slice(bytes.readerIndex(), begun));
    }
}
