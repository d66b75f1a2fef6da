package org.gridfarm.client.hadoop;

import org.apache.hadoop.fs.BlockLocation;
import org.gridfarm.client.FileLayout;
import org.gridfarm.client.FileLayout.Copy;
import org.gridfarm.client.FileLayout.Stripe;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Where the bytes of a file lie, in pieces as Hadoop's schedulers want them. A file of one stripe
 * lies whole at each of its nodes. Of one with several, the pieces are what lies together (the
 * stripe unit) where that is large; otherwise a piece holds many units, and the nodes that hold
 * most of it come first.
 */
final class BlockPlaces {
    /** A piece is no smaller than this part of a block: a scheduler looks at each. */
    private static final int PIECES_OF_A_BLOCK = 16;

    /**
     * @param host as schedulers know it; empty: it is not known now
     * @param name host and port
     * @param rack empty: none
     */
    record Place(String host, String name, String rack) {
        String topology() {
            return (rack.isEmpty() ? "/default-rack" : "/" + rack) + '/' + name;
        }
    }

    private final FileLayout layout;
    private final long size;
    private final long pieceBytes;
    private final Function<Copy, Place> places;

    BlockPlaces(FileLayout layout, long size, long blockBytes, Function<Copy, Place> places) {
        this.layout = layout;
        this.size = size;
        this.places = places;
        boolean unitIsPiece =
                layout.stripes().size() > 1
                        && layout.stripeUnit() >= blockBytes / PIECES_OF_A_BLOCK;
        pieceBytes = unitIsPiece ? layout.stripeUnit() : blockBytes;
    }

    /** Those that hold some of the bytes from the offset on; none behind the end. */
    BlockLocation[] of(long offset, long length) {
        if (offset >= size || length == 0) {
            return new BlockLocation[0];
        }
        long end = length > size - offset ? size : offset + length;
        List<BlockLocation> found = new ArrayList<>();
        for (long at = offset - offset % pieceBytes; at < end; at += pieceBytes) {
            found.add(piece(at, Math.min(pieceBytes, size - at)));
        }
        return found.toArray(new BlockLocation[0]);
    }

    private BlockLocation piece(long offset, long length) {
        Map<Place, Long> held = new LinkedHashMap<>();
        long[] bytes = bytesOfStripes(offset, length);
        for (Stripe stripe : layout.stripes()) {
            for (Copy copy : stripe.copies()) {
                long part = bytes[stripe.index()];
                if (copy.readable() && part > 0) {
                    Place place = places.apply(copy);
                    if (!place.host().isEmpty()) {
                        held.merge(place, part, Long::sum);
                    }
                }
            }
        }
        List<Place> best =
                held.entrySet().stream()
                        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                        .map(Map.Entry::getKey)
                        .toList();
        return new BlockLocation(
                texts(best, Place::name),
                texts(best, Place::host),
                null,
                texts(best, Place::topology),
                offset,
                length,
                best.isEmpty());
    }

    private long[] bytesOfStripes(long offset, long length) {
        int count = layout.stripes().size();
        long[] bytes = new long[count];
        if (count == 1) {
            bytes[0] = length;
        } else if (count > 1) {
            long unit = layout.stripeUnit();
            long round = unit * count;
            long whole = length / round; // rounds over all stripes, wherever they begin
            for (int i = 0; i < count; i++) {
                bytes[i] = whole * unit;
            }
            long end = offset + length;
            for (long at = offset + whole * round; at < end; ) {
                long next = Math.min(end, at - at % unit + unit);
                bytes[(int) (at / unit % count)] += next - at;
                at = next;
            }
        }
        return bytes;
    }

    private static String[] texts(List<Place> places, Function<Place, String> text) {
        return places.stream().map(text).toArray(String[]::new);
    }
}
