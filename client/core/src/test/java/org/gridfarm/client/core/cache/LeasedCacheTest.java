package org.gridfarm.client.core.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.DirectoryEntry;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

class LeasedCacheTest {
    private static final Name X = Name.of("x");
    private static final Name Y = Name.of("y");
    private static final Name Z = Name.of("z");

    private final LeasedCache cache = new LeasedCache(1 << 20);

    private static Attributes attributes(long inode, long version) {
        return Attributes.newBuilder().setInode(inode).setVersion(version).build();
    }

    @Test
    void aFillThatRacedWithARecallIsDiscarded() {
        long stamp = cache.attributesStamp(7);
        cache.recallAttributes(7);
        cache.fillAttributes(stamp, attributes(7, 1));
        assertThat(cache.attributes(7)).isNull();

        long[] stamps = cache.anyStamp();
        cache.recallAttributes(7);
        cache.fillAttributes(stamps, attributes(7, 1));
        assertThat(cache.attributes(7)).isNull();

        long content = cache.contentStamp(1);
        cache.recallContent(1);
        cache.fillEntry(content, 1, X, 7L);
        assertThat(cache.entry(1, X)).isNull();
    }

    @Test
    void aFillThatRacedWithAnOwnChangeIsDiscardedEvenWhenItEndsFirst() {
        long stamp = cache.contentStamp(1);
        cache.begin(new long[] {1}, new long[] {1}).entry(0, X, null).done();
        cache.fillEntry(stamp, 1, X, 7L);
        assertThat(cache.entry(1, X)).isNull();
    }

    @Test
    void whatAClientsOwnDoingChangedIsInstalledWhereItIsHeldAndWasNotTouched() {
        cache.changedAttributes(cache.attributesStamp(1), attributes(1, 2));
        assertThat(cache.attributes(1)).as("no grant").isNull();
        cache.fillAttributes(cache.attributesStamp(1), attributes(1, 1));
        long stamp = cache.attributesStamp(1);
        cache.changedAttributes(stamp, attributes(1, 2));
        cache.fillAttributes(stamp, attributes(1, 1));
        assertThat(cache.attributes(1)).isEqualTo(attributes(1, 2));
        cache.recallAttributes(1);
        cache.fillAttributes(cache.attributesStamp(1), attributes(1, 3));
        cache.changedAttributes(stamp, attributes(1, 4));
        assertThat(cache.attributes(1)).isEqualTo(attributes(1, 3));
    }

    @Test
    void whatIsBeingChangedIsNotServed() {
        cache.fillAttributes(cache.attributesStamp(1), attributes(1, 1));
        cache.fillEntry(cache.contentStamp(1), 1, X, 7L);
        Change change = cache.begin(new long[] {1}, new long[] {1});
        assertThat(cache.attributes(1)).isNull();
        assertThat(cache.entry(1, X)).isNull();
        change.attributes(attributes(1, 2), false).entry(0, X, null).done();
        assertThat(cache.attributes(1)).isEqualTo(attributes(1, 2));
        assertThat(cache.entry(1, X)).isEqualTo(LeasedCache.Known.ABSENT);
    }

    @Test
    void inADirectoryFoundEmptyEveryOtherNameIsAbsentUntilARecall() {
        Name y = Name.of("y");
        assertThat(cache.fillEmpty(cache.contentStamp(1), 1, X)).isTrue();
        assertThat(cache.entry(1, y)).isEqualTo(LeasedCache.Known.ABSENT);
        cache.begin(new long[] {1}, new long[] {1}).entry(0, X, 7L).done();
        assertThat(cache.entry(1, X)).isEqualTo(7L);
        assertThat(cache.entry(1, Name.of("z"))).isEqualTo(LeasedCache.Known.ABSENT);
        assertThat(cache.recallContent(1))
                .containsExactlyInAnyOrder(X, y, Name.of("z")); // whoever asked keeps it
        assertThat(cache.entry(1, y)).isNull();
    }

    @Test
    void whatWasToldIsNamedByTheNextRecallWhateverBecameOfIt() {
        Name y = Name.of("y");
        cache.fillEntry(cache.contentStamp(1), 1, X, 7L);
        cache.begin(new long[] {1}, new long[] {1}).failed();
        assertThat(cache.entry(1, X)).isNull();
        cache.begin(new long[] {1}, new long[] {1}).unknownEntry(0, y).done();
        assertThat(cache.isTold(1, X)).isTrue();
        assertThat(cache.isTold(1, y)).isTrue();
        assertThat(cache.recallContent(1)).containsExactlyInAnyOrder(X, y);
        assertThat(cache.isTold(1, X)).isFalse();
        assertThat(cache.recallContent(1)).isEmpty();
    }

    @Test
    void whatWasDoneInADirectoryThatIsNotHeldIsNamedByNoRecall() {
        cache.begin(new long[] {1}, new long[] {1}).entry(0, X, 7L).done();
        assertThat(cache.isTold(1, X)).isFalse();
        cache.fillEntry(cache.contentStamp(1), 1, Name.of("y"), 8L);
        Change change = cache.begin(new long[] {1}, new long[] {1});
        cache.recallContent(1);
        change.entry(0, X, 7L).done();
        assertThat(cache.isTold(1, X)).isFalse();
    }

    @Test
    void aDirectoryOfWhichANameWasForgottenIsNotKnownCompletely() {
        cache.fillEmpty(cache.contentStamp(1), 1, X);
        cache.begin(new long[] {1}, new long[] {1}).unknownEntry(0, X).done();
        assertThat(cache.entry(1, X)).isNull();
        assertThat(cache.entry(1, Name.of("y"))).isNull();
    }

    @Test
    void aFillOfEmptinessThatRacedWithAnOwnChangeIsDiscarded() {
        long stamp = cache.contentStamp(1);
        cache.begin(new long[] {1}, new long[] {1}).entry(0, X, 7L).done();
        assertThat(cache.fillEmpty(stamp, 1, Name.of("y"))).isFalse();
        assertThat(cache.entry(1, Name.of("z"))).isNull();
    }

    @Test
    void aRecallDuringAnOwnChangeEndsTheGrant() {
        cache.fillAttributes(cache.attributesStamp(1), attributes(1, 1));
        cache.fillEntry(cache.contentStamp(1), 1, Name.of("y"), 8L);
        Change change = cache.begin(new long[] {1}, new long[] {1});
        cache.recallAttributes(1);
        cache.recallContent(1);
        change.attributes(attributes(1, 2), false).entry(0, X, 7L).done();
        assertThat(cache.attributes(1)).isNull();
        assertThat(cache.entry(1, X)).isNull();
        assertThat(cache.entry(1, Name.of("y"))).isNull();
    }

    /** Of a file's link, say, while its commit is under way, whose answer knows one name. */
    @Test
    void anAnswerDuringWhichSomethingWasDecidedHereCountsAsUnknown() {
        cache.fillAttributes(cache.attributesStamp(1), attributes(1, 1));
        Change asked = cache.begin(new long[] {1}, new long[] {});
        cache.begin(new long[] {1}, new long[] {})
                .attributes(attributes(1, 2), true)
                .decidedHere()
                .done();
        assertThat(cache.attributes(1)).isNull();
        asked.attributes(attributes(1, 2), true).done();
        assertThat(cache.attributes(1)).isNull();
    }

    @Test
    void withoutAGrantAChangeInstallsNothing() {
        cache.begin(new long[] {1}, new long[] {1})
                .attributes(attributes(1, 2), false)
                .entry(0, X, 7L)
                .done();
        assertThat(cache.attributes(1)).isNull();
        assertThat(cache.entry(1, X)).isNull();
    }

    @Test
    void anOlderAnswerDoesNotReplaceANewerOne() {
        cache.fillAttributes(cache.attributesStamp(1), attributes(1, 5));
        cache.fillAttributes(cache.attributesStamp(1), attributes(1, 4));
        assertThat(cache.attributes(1)).isEqualTo(attributes(1, 5));
    }

    @Test
    void itStaysWithinItsBound() {
        for (long inode = 1; inode < 100_000; inode++) {
            cache.fillAttributes(cache.attributesStamp(inode), attributes(inode, 1));
            cache.fillEntry(
                    cache.contentStamp(inode % 100), inode % 100, Name.of("n" + inode), inode);
        }
        int last = 1 << 12; // what came last may be more, until the next is asked for
        assertThat(cache.bytes()).isLessThanOrEqualTo((1 << 20) + last).isGreaterThan(1 << 19);
        cache.clear();
        assertThat(cache.bytes()).isZero();
    }

    /**
     * Who removes the files of a directory, or looks at each, would ask a server for every name.
     */
    @Test
    void aDirectoryMayHaveMoreNamesThanAnEqualPartOfTheRoomHolds() {
        int names = 4_000;
        for (int i = 0; i < names; i++) {
            cache.fillEntry(cache.contentStamp(1), 1, Name.of("n" + i), 1_000L + i);
        }
        for (int i = 0; i < names; i++) {
            assertThat(cache.entry(1, Name.of("n" + i))).isEqualTo(1_000L + i);
        }
        assertThat(cache.bytes()).isBetween(1L << 18, 1L << 20);
    }

    /** What a client does elsewhere at the same moment must not make it forget what it made. */
    @Test
    void whatWasJustMadeIsKnownWhateverElseChangedHere() {
        long made = elsewhereInTheShardOf(1);
        long[] stamps = cache.madeStamp();
        cache.begin(new long[] {1}, new long[] {1}).done();
        cache.fillMade(stamps, attributes(made, 1));
        cache.fillBorn(stamps, made);
        assertThat(cache.attributes(made)).isEqualTo(attributes(made, 1));
        assertThat(cache.entry(made, X)).isEqualTo(LeasedCache.Known.ABSENT);
    }

    @Test
    void whatWasJustMadeAndRecalledIsNotKnown() {
        long[] stamps = cache.madeStamp();
        cache.recallAttributes(7);
        cache.recallContent(7);
        cache.fillMade(stamps, attributes(7, 1));
        cache.fillBorn(stamps, 7);
        assertThat(cache.attributes(7)).isNull();
        assertThat(cache.entry(7, X)).isNull();
    }

    @Test
    void aRecallOfSomethingElseKeepsNobodyFromKnowingWhatWasMade() {
        long made = elsewhereInTheShardOf(1);
        long[] stamps = cache.madeStamp();
        cache.recallAttributes(1);
        cache.recallContent(1);
        cache.fillMade(stamps, attributes(made, 1));
        cache.fillBorn(stamps, made);
        assertThat(cache.attributes(made)).isEqualTo(attributes(made, 1));
        assertThat(cache.entry(made, X)).isEqualTo(LeasedCache.Known.ABSENT);
    }

    @Test
    void whatWasRecalledLongAgoIsNotKnownWhenItIsFilledLate() {
        long[] stamps = cache.madeStamp();
        long made = elsewhereInTheShardOf(1);
        cache.recallAttributes(made);
        for (int i = 0; i < 100; i++) cache.recallAttributes(1);
        cache.fillMade(stamps, attributes(made, 1));
        assertThat(cache.attributes(made)).isNull();
        cache.fillMade(cache.madeStamp(), attributes(made, 1));
        assertThat(cache.attributes(made)).isNotNull();
        stamps = cache.madeStamp();
        cache.clear();
        cache.fillMade(stamps, attributes(made, 1));
        assertThat(cache.attributes(made)).as("forgotten with everything").isNull();
    }

    /** Names that somebody was told are named by the next recall, and the others are not. */
    @Test
    void aGivenDirectoryIsKnownAsAWhole() {
        cache.fillGiven(cache.madeStamp(), attributes(7, 1), Map.of(X, 70L, Y, 71L));
        assertThat(cache.entry(7, X)).isEqualTo(70L);
        assertThat(cache.entry(7, Z)).isEqualTo(LeasedCache.Known.ABSENT);
        assertThat(cache.attributes(7)).isEqualTo(attributes(7, 1));
        assertThat(cache.recallContent(7)).containsExactlyInAnyOrder(X, Z);
        assertThat(cache.entry(7, Y)).isNull();
        cache.recallAttributes(7);
        assertThat(cache.bytes()).isZero();
    }

    @Test
    void whatOwnChangesMadeUnknownAGivenDirectorySays() {
        cache.fillEntry(cache.contentStamp(7), 7, X, 70L);
        cache.begin(new long[] {7}, new long[] {7}).unknownEntry(0, X).done();
        assertThat(cache.entry(7, X)).isNull();
        cache.fillGiven(cache.madeStamp(), attributes(7, 1), Map.of(X, 72L));
        assertThat(cache.entry(7, X)).isEqualTo(72L);
    }

    @Test
    void anOwnChangeUnderWayBringsAGivenDirectoryUpToDate() {
        Change change = cache.begin(new long[] {7}, new long[] {7});
        cache.fillGiven(cache.madeStamp(), attributes(7, 1), Map.of(X, 70L));
        change.entry(0, X, null).attributes(attributes(7, 2), false).done();
        assertThat(cache.entry(7, X)).isEqualTo(LeasedCache.Known.ABSENT);
        assertThat(cache.attributes(7)).isEqualTo(attributes(7, 2));
        change = cache.begin(new long[] {7}, new long[] {7});
        change.failed();
        assertThat(cache.entry(7, X)).as("nobody knows what became of it").isNull();
    }

    @Test
    void aDirectoryThatWasRecalledMeanwhileIsNotKnown() {
        long[] stamps = cache.madeStamp();
        cache.recallContent(7);
        cache.fillGiven(stamps, attributes(7, 1), Map.of(X, 70L));
        assertThat(cache.entry(7, X)).isNull();
    }

    /** One in 8192 shares its slot with the directory: then a whole directory was forgotten. */
    @Test
    void whateverIsRemovedHereTheOtherNamesStayKnown() {
        for (long file = 8; file < 60_000; file++) {
            cache.fillGiven(cache.madeStamp(), attributes(7, file), Map.of(X, file, Y, 71L));
            cache.begin(new long[] {7, file}, new long[] {7})
                    .entry(0, X, null)
                    .attributes(attributes(7, file + 1), false)
                    .decidedHere()
                    .done();
            assertThat(cache.entry(7, Y)).as("after file %d", file).isEqualTo(71L);
            assertThat(cache.entry(7, X)).isEqualTo(LeasedCache.Known.ABSENT);
        }
    }

    private long elsewhereInTheShardOf(long inode) {
        long other = inode + 1;
        while (cache.shard(other) != cache.shard(inode)) other++;
        return other;
    }

    @Test
    void aListingIsServedFromAnyCookieOnceItWasRead() {
        List<DirectoryEntry> first = List.of(entry("a", 3), entry("b", 5));
        cache.fillPage(cache.contentStamp(1), 1, 0, first, false, 1);
        assertThat(cache.page(1, 5, 10)).isNull();
        cache.fillPage(cache.contentStamp(1), 1, 5, List.of(entry("c", 9)), true, 1);
        assertThat(cache.page(1, 4, 10))
                .isEqualTo(new Listing.Page(List.of(entry("b", 5), entry("c", 9)), true, 1));
        assertThat(cache.page(1, 9, 10)).isEqualTo(new Listing.Page(List.of(), true, 1));
    }

    private static DirectoryEntry entry(String name, long cookie) {
        return DirectoryEntry.newBuilder()
                .setName(com.google.protobuf.ByteString.copyFromUtf8(name))
                .setCookie(cookie)
                .build();
    }
}
