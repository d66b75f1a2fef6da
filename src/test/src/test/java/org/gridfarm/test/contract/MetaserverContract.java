package org.gridfarm.test.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.rpc.Services;
import org.gridfarm.protocol.wire.*;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** One metaserver for all tests, each in a directory and with sessions of its own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class MetaserverContract {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private long sessions = 10;
    private long handles = 100;

    /** A connection of a user; with node n1, and no other, to keep files. */
    abstract Peer dial(Services pushes);

    @AfterAll
    abstract void end() throws Exception;

    private Asking session() {
        return new Asking(++sessions, this::dial);
    }

    private static void refused(ErrorKind kind, ThrowingCallable call) {
        assertThatThrownBy(call)
                .satisfies(e -> assertThat(FarmException.of(e, "", "").kind()).isEqualTo(kind));
    }

    @Test
    void aSessionIsToldItsLeaseAndTheRoot() {
        Asking one = session();
        assertThat(one.opened.getSession()).isEqualTo(one.session);
        assertThat(one.opened.getEpoch()).isPositive();
        assertThat(one.opened.getLeaseMillis()).isPositive();
        assertThat(one.opened.getRoot()).isEqualTo(1);
        assertThat(one.opened.getServersList()).anyMatch(s -> s.getRole().equals("leader"));
        RenewReply renewed =
                one.call(
                        MetadataMethods.RENEW,
                        RenewRequest.newBuilder().setSession(one.session).build());
        assertThat(renewed.getEvicted()).isFalse();
        assertThat(renewed.getLeaseMillis()).isPositive();
    }

    @Test
    void namesAreMadeFoundAndRemoved() {
        Asking one = session();
        long dir = one.mkdir(1, "names");
        assertThat(one.lookup(dir, "f").getFound()).isFalse();
        assertThat(one.lookup(dir, "f").getEntryCacheable()).isTrue();
        long file = one.create(dir, "f");
        LookupReply found = one.lookup(dir, "f");
        assertThat(found.getFound()).isTrue();
        assertThat(found.getEntryCacheable()).isTrue();
        assertThat(found.getAttributesCacheable()).isTrue();
        assertThat(found.getAttributes().getInode()).isEqualTo(file);
        assertThat(found.getAttributes().getType()).isEqualTo(FileType.REGULAR);
        assertThat(found.getAttributes().getMode() & 07777).isEqualTo(0644);
        assertThat(found.getAttributes().getNlink()).isEqualTo(1);
        Attributes left = one.mutate(c -> c.setUnlink(one.entry(dir, "f"))).getAttributes();
        assertThat(left.getInode()).isEqualTo(file);
        assertThat(left.getNlink()).isZero();
        assertThat(one.lookup(dir, "f").getFound()).isFalse();
        one.mutate(c -> c.setRmdir(one.entry(1, "names")));
        assertThat(one.lookup(1, "names").getFound()).isFalse();
    }

    @Test
    void whatCannotBeIsRefusedByItsKind() {
        Asking one = session();
        long dir = one.mkdir(1, "refused");
        long file = one.create(dir, "f");
        refused(ErrorKind.ALREADY_EXISTS, () -> one.mkdir(1, "refused"));
        refused(ErrorKind.ALREADY_EXISTS, () -> one.create(dir, "f"));
        refused(ErrorKind.NOT_FOUND, () -> one.mutate(c -> c.setUnlink(one.entry(dir, "none"))));
        refused(ErrorKind.NOT_EMPTY, () -> one.mutate(c -> c.setRmdir(one.entry(1, "refused"))));
        refused(ErrorKind.NOT_A_DIRECTORY, () -> one.lookup(file, "x"));
        refused(
                ErrorKind.NOT_FOUND,
                () -> one.mutate(c -> c.setRename(one.rename(dir, "none", "new"))));
        refused(ErrorKind.STALE, () -> one.attributes(1L << 40));
    }

    @Test
    void aRenameReplacesItsLikeAndNothingElse() {
        Asking one = session();
        long dir = one.mkdir(1, "renames");
        long from = one.create(dir, "from");
        one.create(dir, "to");
        one.mkdir(dir, "sub");
        refused(
                ErrorKind.ALREADY_EXISTS,
                () ->
                        one.mutate(c ->
                                c.setRename(one.rename(dir, "from", "to").setNoReplace(true))));
        refused(
                ErrorKind.IS_A_DIRECTORY,
                () -> one.mutate(c -> c.setRename(one.rename(dir, "from", "sub"))));
        refused(
                ErrorKind.NOT_A_DIRECTORY,
                () -> one.mutate(c -> c.setRename(one.rename(dir, "sub", "from"))));
        MutateReply moved = one.mutate(c -> c.setRename(one.rename(dir, "from", "to")));
        assertThat(moved.getAttributes().getInode()).isEqualTo(from);
        assertThat(one.lookup(dir, "to").getAttributes().getInode()).isEqualTo(from);
        assertThat(one.lookup(dir, "from").getFound()).isFalse();
    }

    @Test
    void aCommandSentAgainIsNotDoneAgain() {
        Asking one = session();
        MutateRequest making = one.command(c -> c.setCreate(one.file(1, "once")));
        MutateReply first = one.call(MetadataMethods.MUTATE, making);
        assertThat(one.call(MetadataMethods.MUTATE, making)).isEqualTo(first);
    }

    @Test
    void aChangeWaitsForWhoeverHasCachedWhatItChanges() throws Exception {
        Asking reader = session();
        Asking writer = session();
        // Not while a change of another test is still being told to those who cached the directory.
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> reader.lookup(1, "recalled").getEntryCacheable());
        CompletableFuture<Void> release = new CompletableFuture<>();
        reader.holdRecalls(release);
        CompletableFuture<MutateReply> making =
                writer.start(
                        MetadataMethods.MUTATE,
                        writer.command(c -> c.setCreate(writer.file(1, "recalled"))));
        Awaitility.await().atMost(PATIENCE).until(() -> !reader.recalls.isEmpty());
        assertThat(making).isNotDone();
        assertThat(reader.recalls)
                .flatExtracting(RecallRequest::getDirectoriesList)
                .anyMatch(d ->
                        d.getInode() == 1 && d.getNamesList().contains(Asking.bytes("recalled")));
        release.complete(null);
        making.get();
        assertThat(reader.lookup(1, "recalled").getFound()).isTrue();
        assertThat(writer.recalls).isEmpty();
    }

    @Test
    void aListingComesInPages() {
        Asking one = session();
        long dir = one.mkdir(1, "listed");
        List<String> made = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            one.create(dir, "f" + i);
            made.add("f" + i);
        }
        List<String> seen = new ArrayList<>();
        long cookie = 0;
        ReadDirectoryReply page;
        do {
            page =
                    one.call(
                            MetadataMethods.READ_DIRECTORY,
                            ReadDirectoryRequest.newBuilder()
                                    .setSession(one.session)
                                    .setInode(dir)
                                    .setCookie(cookie)
                                    .setLimit(3)
                                    .setWithAttributes(true)
                                    .build());
            assertThat(page.getEntriesCount()).isLessThanOrEqualTo(3);
            for (DirectoryEntry entry : page.getEntriesList()) {
                seen.add(entry.getName().toStringUtf8());
                assertThat(entry.getAttributes().getInode()).isEqualTo(entry.getInode());
                cookie = entry.getCookie();
            }
        } while (!page.getEnd());
        assertThat(seen).containsExactlyInAnyOrderElementsOf(made);
        assertThat(page.getParent()).isEqualTo(1);
    }

    @Test
    void pathsAreWalkedOverSymbolicLinks() {
        Asking one = session();
        long dir = one.mkdir(1, "walked");
        long file = one.create(dir, "f");
        long link = one.symlink(1, "there", "walked").getAttributes().getInode();
        one.symlink(1, "round", "round");
        assertThat(
                        one.call(
                                        MetadataMethods.READ_LINK,
                                        ReadLinkRequest.newBuilder()
                                                .setSession(one.session)
                                                .setInode(link)
                                                .build())
                                .getTarget())
                .isEqualTo(Asking.bytes("walked"));
        assertThat(one.resolve("/there/f", true).getAttributes().getInode()).isEqualTo(file);
        assertThat(one.resolve("/there", true).getAttributes().getInode()).isEqualTo(dir);
        assertThat(one.resolve("/there", false).getAttributes().getInode()).isEqualTo(link);
        assertThat(one.resolve("/walked/none", true).getFound()).isFalse();
        refused(ErrorKind.NOT_FOUND, () -> one.resolve("/none/f", true));
        refused(ErrorKind.LINK_LOOP, () -> one.resolve("/round", true));
    }

    @Test
    void extendedAttributesAreKept() {
        Asking one = session();
        long file = one.create(1, "tagged");
        one.mutate(c ->
                c.setSetXattr(
                        SetXattr.newBuilder()
                                .setInode(file)
                                .setName(Asking.bytes("user.a"))
                                .setValue(Asking.bytes("1"))));
        assertThat(xattr(one, file).getValue()).isEqualTo(Asking.bytes("1"));
        assertThat(
                        one.call(
                                        MetadataMethods.LIST_XATTR,
                                        ListXattrRequest.newBuilder()
                                                .setSession(one.session)
                                                .setInode(file)
                                                .build())
                                .getNamesList())
                .containsExactly(Asking.bytes("user.a"));
        RemoveXattr removal =
                RemoveXattr.newBuilder().setInode(file).setName(Asking.bytes("user.a")).build();
        one.mutate(c -> c.setRemoveXattr(removal));
        refused(ErrorKind.NO_ATTRIBUTE, () -> xattr(one, file));
        refused(ErrorKind.NO_ATTRIBUTE, () -> one.mutate(c -> c.setRemoveXattr(removal)));
    }

    private static GetXattrReply xattr(Asking one, long inode) {
        return one.call(
                MetadataMethods.GET_XATTR,
                GetXattrRequest.newBuilder()
                        .setSession(one.session)
                        .setInode(inode)
                        .setName(Asking.bytes("user.a"))
                        .build());
    }

    @Test
    void attributesChangeAndTheirVersionGrows() {
        Asking one = session();
        long file = one.create(1, "changed");
        long before = one.attributes(file).getVersion();
        one.mutate(
                c -> c.setSetAttributes(SetAttributes.newBuilder().setInode(file).setMode(0600)));
        Attributes after = one.attributes(file);
        assertThat(after.getMode() & 07777).isEqualTo(0600);
        assertThat(after.getVersion()).isGreaterThan(before);
    }

    // ---- open files

    /** As the table of {@code session.OpenFiles} has it. */
    @Test
    void whoElseHasAFileOpenDecidesWhatMayBeCached() {
        Asking one = session();
        Asking two = session();
        long handle = ++handles;
        MutateReply made = one.createAndOpen(1, "modes", handle);
        long file = made.getAttributes().getInode();
        assertThat(made.getOpened().getMode()).isEqualTo(DataMode.EXCLUSIVE);
        assertThat(made.getOpened().getLayout().getObjects(0).getReplicasList())
                .extracting(Replica::getNode)
                .containsExactly("n1");
        assertThat(one.attributes(file).getWriting()).isTrue();
        assertThat(one.commit(file, handle, 100, true).getAttributes().getSize()).isEqualTo(100);
        assertThat(one.attributes(file).getWriting()).isFalse();
        long reading = ++handles;
        assertThat(one.open(file, reading, false).getMode()).isEqualTo(DataMode.READ_SHARED);
        assertThat(two.open(file, ++handles, false).getMode()).isEqualTo(DataMode.READ_SHARED);
        OpenReply both = two.open(file, ++handles, true);
        assertThat(both.getMode()).isEqualTo(DataMode.WRITE_SHARED);
        assertThat(both.getAttributes().getSize()).isEqualTo(100);
        assertThat(one.recalls)
                .as("whoever read it is told to cache nothing more")
                .flatExtracting(RecallRequest::getDataList)
                .anyMatch(d -> d.getInode() == file && d.getMode() == DataMode.WRITE_SHARED);
        assertThat(one.refresh(file, reading).getMode()).isEqualTo(DataMode.WRITE_SHARED);
    }

    @Test
    void aHandleIsKnownUntilItIsClosed() {
        Asking one = session();
        long handle = ++handles;
        long file = one.createAndOpen(1, "handles", handle).getAttributes().getInode();
        assertThat(one.commit(file, handle, 5, false).getAttributes().getSize()).isEqualTo(5);
        assertThat(one.commit(file, handle, 7, true).getAttributes().getSize()).isEqualTo(7);
        refused(ErrorKind.BAD_HANDLE, () -> one.refresh(file, handle));
        refused(ErrorKind.BAD_HANDLE, () -> one.commit(file, handle, 9, true));
        assertThat(one.attributes(file).getSize()).isEqualTo(7);
        long again = ++handles;
        one.open(file, again, false);
        one.close(again);
        refused(ErrorKind.BAD_HANDLE, () -> one.refresh(file, again));
    }

    @Test
    void anOpenThatTruncatesMakesAnotherGeneration() {
        Asking one = session();
        long handle = ++handles;
        long file = one.createAndOpen(1, "cut", handle).getAttributes().getInode();
        one.commit(file, handle, 5, true);
        OpenReply cut =
                one.call(
                        MetadataMethods.OPEN,
                        OpenRequest.newBuilder()
                                .setSession(one.session)
                                .setSequence(1000)
                                .setInode(file)
                                .setHandle(++handles)
                                .setWrite(true)
                                .setTruncate(true)
                                .build());
        assertThat(cut.getAttributes().getSize()).isZero();
        assertThat(cut.getAttributes().getGeneration()).isEqualTo(2);
        assertThat(cut.getLayout().getObjects(0).getObject().getGeneration()).isEqualTo(2);
    }

    // ---- locks

    @Test
    void aLockIsRefusedOrWaitedFor() throws Exception {
        Asking one = session();
        Asking two = session();
        long file = one.create(1, "locked");
        assertThat(one.lock(file, LockKind.EXCLUSIVE_LOCK, false).get().getGranted()).isTrue();
        assertThat(two.lock(file, LockKind.SHARED, false).get().getGranted()).isFalse();
        CompletableFuture<LockReply> waiting = two.lock(file, LockKind.SHARED, true);
        assertThat(one.lock(file, LockKind.UNLOCK, false).get().getGranted()).isTrue();
        assertThat(waiting.get().getGranted()).isTrue();
        assertThat(one.lock(file, LockKind.SHARED, false).get().getGranted()).isTrue();
    }
}
