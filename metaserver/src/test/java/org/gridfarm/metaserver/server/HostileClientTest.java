package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.gridfarm.metaserver.server.CallsByNumber.call;

import static java.util.Objects.requireNonNull;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;

import org.gridfarm.metaserver.server.state.MetadataCalls;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.rpc.Services;
import org.gridfarm.protocol.wire.AdminRequest;
import org.gridfarm.protocol.wire.ChainFailureRequest;
import org.gridfarm.protocol.wire.CreateFile;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.ListReplicasRequest;
import org.gridfarm.protocol.wire.LookupRequest;
import org.gridfarm.protocol.wire.MakeDirectory;
import org.gridfarm.protocol.wire.MakeSymlink;
import org.gridfarm.protocol.wire.MutateRequest;
import org.gridfarm.protocol.wire.NodeControlRequest;
import org.gridfarm.protocol.wire.OpenRequest;
import org.gridfarm.protocol.wire.OpenSessionRequest;
import org.gridfarm.protocol.wire.ReadDirectoryRequest;
import org.gridfarm.protocol.wire.ReadLinkRequest;
import org.gridfarm.protocol.wire.RefreshRequest;
import org.gridfarm.protocol.wire.RenewRequest;
import org.gridfarm.protocol.wire.ResolveRequest;
import org.gridfarm.protocol.wire.SetAttributes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Who has a valid certificate and no right, on the wire: bob has files, mallory is another user,
 * and every other part of the farm may be in her hands.
 */
class HostileClientTest extends FarmOfThreeNodes {
    private static final Map<Role, String> ONE_OF_EACH =
            Map.of(
                    Role.USER, "mallory",
                    Role.ADMIN, "alice",
                    Role.NODE, "n1",
                    Role.METASERVER, "ms",
                    Role.SCHEDULER, "sched",
                    Role.MOUNT, "desktop");

    private static <Q extends MessageLite, R extends MessageLite> @Nullable ErrorKind refusal(
            Peer peer, Method<Q, R> method) {
        try {
            Q nothing = method.request().parseFrom(new byte[0]);
            TestFarm.get(peer.callPlain(method, nothing, TestFarm.PATIENCE));
            return null;
        } catch (FarmException e) {
            return e.kind();
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The table of methods, row by row: who has not the role, and who has it and no session. */
    @Test
    void everyMethodIsRefusedToEveryRoleThatItIsNotFor() {
        List<String> wrong = new ArrayList<>();
        ONE_OF_EACH.forEach((role, name) -> {
            for (Method<?, ?> method : MetadataCalls.ALL) {
                boolean may = method.access().roles().contains(role);
                // what these say of themselves is judged by its content
                if (may && (role == Role.METASERVER || role == Role.NODE)) continue;
                Peer peer = farm.dial(name, leader, Services.none());
                @Nullable ErrorKind told = refusal(peer, method);
                peer.close();
                boolean right =
                        may
                                ? told != ErrorKind.NOT_PERMITTED
                                        && (!method.access().inSession()
                                                || told == ErrorKind.SESSION_ENDED)
                                : told == ErrorKind.NOT_PERMITTED;
                if (!right) wrong.add(method + " as " + role + ": " + told);
            }
        });
        assertThat(wrong).isEmpty();
    }

    // ---- by number --------------------------------------------------------------------------

    private static MutateRequest making(TestClient client, long parent, String name, int mode) {
        return client.command()
                .setCreate(
                        CreateFile.newBuilder()
                                .setParent(parent)
                                .setName(TestFarm.name(name))
                                .setMode(mode)
                                .setOpen(
                                        OpenRequest.newBuilder()
                                                .setWrite(true)
                                                .setHandle(name.hashCode())))
                .build();
    }

    private static long directory(TestClient client, long parent, String name, int mode) {
        return client.call(
                        MetadataMethods.MUTATE,
                        client.command()
                                .setMkdir(
                                        MakeDirectory.newBuilder()
                                                .setParent(parent)
                                                .setName(TestFarm.name(name))
                                                .setMode(mode))
                                .build())
                .getAttributes()
                .getInode();
    }

    private void isRefused(String what, ErrorKind kind, Runnable attempt) {
        assertThatThrownBy(attempt::run)
                .as(what)
                .isInstanceOfSatisfying(
                        FarmException.class, e -> assertThat(e.kind()).as(what).isEqualTo(kind));
    }

    @Test
    void whoWasRefusedAndWhatAdministratorsDidIsInTheAuditLog() {
        Logger audit = (Logger) LoggerFactory.getLogger("org.gridfarm.audit");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        audit.setLevel(Level.INFO);
        audit.addAppender(lines);
        try {
            NodeControlRequest drain =
                    NodeControlRequest.newBuilder().setNode("n1").setAction("drain").build();
            TestClient mallory = TestClient.as("mallory", farm, leader, 3);
            isRefused(
                    "drain",
                    ErrorKind.NOT_PERMITTED,
                    call(mallory, MetadataMethods.NODE_CONTROL, drain));
            TestClient desktop = TestClient.as("desktop", farm, leader, 4);
            isRefused(
                    "drain",
                    ErrorKind.NOT_PERMITTED,
                    call(desktop, MetadataMethods.NODE_CONTROL, drain));
            new TestClient(farm, leader, 5).call(MetadataMethods.NODE_CONTROL, drain);
        } finally {
            audit.detachAppender(lines);
        }
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .anySatisfy(line ->
                        assertThat(line)
                                .startsWith(
                                        "result=refused who=\"/O=Test/CN=mallory\" as=mallory from=")
                                .contains("what=\"node-control\""))
                .anySatisfy(line ->
                        assertThat(line).startsWith("result=refused who=\"/O=Test/CN=desktop\""))
                .anySatisfy(line ->
                        assertThat(line)
                                .startsWith("result=done who=\"/O=Test/CN=alice\" as=alice from=")
                                .endsWith("what=\"node-control\" on=\"drain n1\""));
    }

    @Test
    void noCallByNumberGivesWhatThePathRefuses() {
        TestClient root = new TestClient(farm, leader, 1);
        root.call(
                MetadataMethods.MUTATE,
                root.command()
                        .setSetAttributes(SetAttributes.newBuilder().setInode(1).setMode(01777))
                        .build());
        TestClient bob = TestClient.as("bob", farm, leader, 2);
        TestClient mallory = TestClient.as("mallory", farm, leader, 3);
        long home = directory(bob, 1, "bob", 0700);
        long within = directory(bob, home, "open to all", 0777);
        long file =
                bob.call(MetadataMethods.MUTATE, making(bob, within, "f", 0666))
                        .getAttributes()
                        .getInode();
        commit(bob, file, "f".hashCode(), true, List.of("n1"));
        long link =
                bob.call(
                                MetadataMethods.MUTATE,
                                bob.command()
                                        .setSymlink(
                                                MakeSymlink.newBuilder()
                                                        .setParent(within)
                                                        .setName(TestFarm.name("l"))
                                                        .setTarget(TestFarm.name("secret")))
                                        .build())
                        .getAttributes()
                        .getInode();

        CallsByNumber.all()
                .forEach((what, by) ->
                        isRefused(what, ErrorKind.ACCESS_DENIED, by.apply(mallory, file)));
        isRefused(
                "read link",
                ErrorKind.ACCESS_DENIED,
                call(
                        mallory,
                        MetadataMethods.READ_LINK,
                        ReadLinkRequest.newBuilder().setInode(link).build()));
        isRefused(
                "list",
                ErrorKind.ACCESS_DENIED,
                call(
                        mallory,
                        MetadataMethods.READ_DIRECTORY,
                        ReadDirectoryRequest.newBuilder().setInode(within).build()));
        isRefused(
                "lookup",
                ErrorKind.ACCESS_DENIED,
                call(
                        mallory,
                        MetadataMethods.LOOKUP,
                        LookupRequest.newBuilder()
                                .setParent(within)
                                .setName(TestFarm.name("f"))
                                .build()));
        isRefused(
                "walk from within",
                ErrorKind.ACCESS_DENIED,
                call(
                        mallory,
                        MetadataMethods.RESOLVE,
                        ResolveRequest.newBuilder()
                                .setStart(within)
                                .setPath(TestFarm.name("f"))
                                .build()));
        isRefused(
                "create within",
                ErrorKind.ACCESS_DENIED,
                call(mallory, MetadataMethods.MUTATE, making(mallory, within, "mine", 0600)));
        isRefused(
                "replicas of all",
                ErrorKind.NOT_PERMITTED,
                call(
                        mallory,
                        MetadataMethods.LIST_REPLICAS,
                        ListReplicasRequest.newBuilder().setKind("under").build()));
        isRefused(
                "drain",
                ErrorKind.NOT_PERMITTED,
                call(
                        mallory,
                        MetadataMethods.NODE_CONTROL,
                        NodeControlRequest.newBuilder().setNode("n1").setAction("drain").build()));
        assertThat(
                        mallory.call(
                                        MetadataMethods.NODE_CONTROL,
                                        NodeControlRequest.newBuilder()
                                                .setNode("n1")
                                                .setAction("status")
                                                .build())
                                .getBlockersList())
                .as("paths of files whose last copy is there")
                .isEmpty();
        isRefused(
                "quota",
                ErrorKind.NOT_PERMITTED,
                call(
                        mallory,
                        MetadataMethods.ADMIN,
                        AdminRequest.newBuilder().setCommand("quota-set").build()));

        // What she may walk to she may look at; of others' files she makes no further names.
        bob.call(
                MetadataMethods.MUTATE,
                bob.command()
                        .setSetAttributes(SetAttributes.newBuilder().setInode(home).setMode(0711))
                        .build());
        assertThat(attributes(mallory, file).getMode()).isEqualTo(0666);
        bob.call(
                MetadataMethods.MUTATE,
                bob.command()
                        .setSetAttributes(SetAttributes.newBuilder().setInode(file).setMode(0644))
                        .build());
        isRefused(
                "link to what she may not write",
                ErrorKind.NOT_PERMITTED,
                requireNonNull(CallsByNumber.all().get("link")).apply(mallory, file));
        // A file without a name is for who has it open.
        OpenRequest reading =
                OpenRequest.newBuilder().setInode(file).setRead(true).setHandle(99).build();
        bob.call(MetadataMethods.OPEN, reading);
        bob.unlink(within, "f");
        assertThat(attributes(bob, file).getNlink()).isZero();
        isRefused(
                "stat of what has no name",
                ErrorKind.ACCESS_DENIED,
                requireNonNull(CallsByNumber.all().get("stat")).apply(mallory, file));
        isRefused(
                "open of what has no name",
                ErrorKind.ACCESS_DENIED,
                requireNonNull(CallsByNumber.all().get("open")).apply(mallory, file));
    }

    // ---- sessions ---------------------------------------------------------------------------

    @Test
    void aSessionIsGoneOnWithByItsOwnerAlone() {
        TestClient root = new TestClient(farm, leader, 1);
        root.call(
                MetadataMethods.MUTATE,
                root.command()
                        .setSetAttributes(SetAttributes.newBuilder().setInode(1).setMode(01777))
                        .build());
        TestClient bob = TestClient.as("bob", farm, leader, 2);
        long file =
                bob.call(MetadataMethods.MUTATE, making(bob, 1, "ledger", 0600))
                        .getAttributes()
                        .getInode();
        TestClient mallory = TestClient.as("mallory", farm, leader, 3);
        isRefused(
                "renew",
                ErrorKind.NOT_PERMITTED,
                call(
                        mallory,
                        MetadataMethods.RENEW,
                        RenewRequest.newBuilder().setSession(2).build()));
        isRefused("open", ErrorKind.NOT_PERMITTED, () -> TestClient.as("mallory", farm, leader, 2));

        nextLeader();
        isRefused(
                "open at the next leader",
                ErrorKind.NOT_PERMITTED,
                () -> TestClient.as("mallory", farm, leader, 2));
        TestClient back = TestClient.as("bob", farm, leader, 2);
        assertThat(
                        back.call(
                                        MetadataMethods.REFRESH,
                                        RefreshRequest.newBuilder()
                                                .setInode(file)
                                                .setHandle("ledger".hashCode())
                                                .setGeneration(1)
                                                .setWrite(true)
                                                .setReclaim(true)
                                                .build())
                                .getLayout()
                                .getObjectsCount())
                .isEqualTo(1);
    }

    /** A reader's word about nodes that are well is nothing. */
    @Test
    void whoMayOnlyReadGivesUpNobodysCopy() {
        TestClient root = TestClient.as("alice", farm, leader, 1);
        long file = createAndOpen(root, "log", 500).getAttributes().getInode();
        commit(root, file, 500, false, List.of("n1"));
        TestClient mallory = TestClient.as("mallory", farm, leader, 3);
        mallory.call(
                MetadataMethods.OPEN,
                OpenRequest.newBuilder().setInode(file).setRead(true).setHandle(7).build());
        var before = replicas(root, file);
        ChainFailureRequest.Builder failed =
                ChainFailureRequest.newBuilder()
                        .setInode(file)
                        .setHandle(7)
                        .addAllFailedNodes(List.of("n1", "n2", "n3"))
                        .setRescue(true);
        mallory.call(MetadataMethods.CHAIN_FAILURE, failed.build());
        isRefused(
                "move",
                ErrorKind.ACCESS_DENIED,
                call(mallory, MetadataMethods.CHAIN_FAILURE, failed.setFull(true).build()));
        assertThat(replicas(root, file)).isEqualTo(before);
    }

    // ---- hosts ------------------------------------------------------------------------------

    /** A mount says who asks; its root is nobody unless the map trusts it. Others say nothing. */
    @Test
    void onlyAMountSpeaksForOthersAndItsRootForNobody() {
        Credentials superuser = Credentials.getDefaultInstance();
        TestClient root = new TestClient(farm, leader, 1);
        long private0700 = directory(root, 1, "private", 0700);
        TestClient desktop = TestClient.as("desktop", farm, leader, 2);
        isRefused(
                "list as root of a desktop",
                ErrorKind.ACCESS_DENIED,
                call(
                        desktop,
                        MetadataMethods.READ_DIRECTORY,
                        ReadDirectoryRequest.newBuilder()
                                .setInode(private0700)
                                .setCredentials(superuser)
                                .build()));
        isRefused(
                "make as root of a desktop",
                ErrorKind.ACCESS_DENIED,
                call(desktop, MetadataMethods.MUTATE, making(desktop, 1, "f", 0600)));
        TestClient scheduler = TestClient.as("sched", farm, leader, 3);
        isRefused(
                "list as the scheduler",
                ErrorKind.ACCESS_DENIED,
                call(
                        scheduler,
                        MetadataMethods.READ_DIRECTORY,
                        ReadDirectoryRequest.newBuilder()
                                .setInode(private0700)
                                .setCredentials(superuser)
                                .build()));
        assertThat(desktop.opened.getMayAssert()).isTrue();
        assertThat(scheduler.opened.getMayAssert()).isFalse();
        assertThat(desktop.opened.getCredentials().getUid()).isEqualTo(65534);
        TestClient bob = TestClient.as("bob", farm, leader, 4);
        isRefused(
                "list as root, by a user",
                ErrorKind.ACCESS_DENIED,
                call(
                        bob,
                        MetadataMethods.READ_DIRECTORY,
                        ReadDirectoryRequest.newBuilder()
                                .setInode(private0700)
                                .setCredentials(superuser)
                                .build()));
        TestClient trusted = TestClient.as("mount", farm, leader, 5);
        trusted.call(
                MetadataMethods.READ_DIRECTORY,
                ReadDirectoryRequest.newBuilder()
                        .setInode(private0700)
                        .setCredentials(superuser)
                        .build());
        isRefused(
                "a session of a storage node",
                ErrorKind.NOT_PERMITTED,
                () ->
                        TestFarm.get(
                                farm.dial("n1", leader, Services.none())
                                        .callPlain(
                                                MetadataMethods.OPEN_SESSION,
                                                OpenSessionRequest.getDefaultInstance(),
                                                TestFarm.PATIENCE)));
    }
}
