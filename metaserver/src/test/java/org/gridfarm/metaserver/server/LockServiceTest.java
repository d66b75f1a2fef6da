package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.wire.HeldLocksReply;
import org.gridfarm.protocol.wire.HeldLocksRequest;
import org.gridfarm.protocol.wire.LockKind;
import org.gridfarm.protocol.wire.LockReply;
import org.gridfarm.protocol.wire.LockRequest;
import org.junit.jupiter.api.Test;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Locks of several sessions at one leader. */
class LockServiceTest extends FarmOfThreeNodes {
    @Test
    void aWaitingLockIsGrantedWhenTheOtherIsGivenUp() throws Exception {
        TestClient one = new TestClient(farm, leader, 11);
        TestClient two = new TestClient(farm, leader, 12);
        long inode = one.create(1, "f").getAttributes().getInode();
        LockRequest lock =
                LockRequest.newBuilder()
                        .setInode(inode)
                        .setOwner(1)
                        .setKind(LockKind.EXCLUSIVE_LOCK)
                        .setEnd(Long.MAX_VALUE)
                        .build();
        assertThat(one.call(MetadataMethods.LOCK, lock).getGranted()).isTrue();
        assertThat(two.call(MetadataMethods.TEST_LOCK, lock).getGranted()).isFalse();
        CompletableFuture<LockReply> waiting =
                two.start(MetadataMethods.LOCK, lock.toBuilder().setWait(true).build());
        one.call(MetadataMethods.LOCK, lock.toBuilder().setKind(LockKind.UNLOCK).build());
        assertThat(waiting.get(5, TimeUnit.SECONDS).getGranted()).isTrue();
    }

    @Test
    void aSessionIsToldOfItsOwnLocksAlone() {
        TestClient one = new TestClient(farm, leader, 11);
        TestClient two = new TestClient(farm, leader, 12);
        LockRequest lock =
                LockRequest.newBuilder()
                        .setInode(one.create(1, "f").getAttributes().getInode())
                        .setOwner(1)
                        .setKind(LockKind.EXCLUSIVE_LOCK)
                        .setEnd(Long.MAX_VALUE)
                        .build();
        one.call(MetadataMethods.LOCK, lock);
        HeldLocksRequest all = HeldLocksRequest.getDefaultInstance();
        HeldLocksReply told = one.call(MetadataMethods.HELD_LOCKS, all);
        assertThat(told.getLocksList()).containsExactly(lock);
        assertThat(told.getMore()).isFalse();
        assertThat(two.call(MetadataMethods.HELD_LOCKS, all).getLocksList()).isEmpty();
    }
}
