package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;

import org.gridfarm.metaserver.server.state.MetadataCalls;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.auth.UnderScopes;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.wire.*;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Somebody whose account may do everything and whose token may not: bob owns all of /r, /c, /m, /rx
 * and /o.
 */
class HostileTokenTest {
    private static TestFarm farm;
    private static MetaServerDaemon leader;
    private static FakeNode node;
    private static TestClient bob;
    private static int sessions = 100;

    @BeforeAll
    static void start(@TempDir Path directory) {
        farm = new TestFarm(directory);
        leader = farm.start("ms1", true);
        TestFarm.awaitRole(leader, "leader");
        node = new FakeNode(farm, leader, "n1");
        TestClient root = new TestClient(farm, leader, 1);
        root.call(
                MetadataMethods.MUTATE,
                root.command()
                        .setSetAttributes(SetAttributes.newBuilder().setInode(1).setMode(01777))
                        .build());
        bob = TestClient.as("bob", farm, leader, 2).renewing();
    }

    @AfterAll
    static void stop() {
        node.close();
        farm.close();
    }

    private static final Set<String> DIRECTORIES = Set.of("r", "c", "m", "rx", "o");
    private final Map<String, Long> made = new TreeMap<>();
    private String top; // of each test

    @BeforeEach
    void make() {
        top = "/t" + ++sessions;
        made.put("/", bob.mkdir(1, top.substring(1)).getAttributes().getInode());
        for (String name : DIRECTORIES) {
            long directory = bob.mkdir(inode("/"), name).getAttributes().getInode();
            made.put("/" + name, directory);
            made.put("/" + name + "/f", bob.create(directory, "f").getAttributes().getInode());
            made.put("/" + name + "/d", bob.mkdir(directory, "d").getAttributes().getInode());
        }
    }

    private TestClient by(String scopes) {
        String token = "token:bob " + scopes.replace(":/", ":" + top + "/");
        return TestClient.as(token, farm, leader, ++sessions).renewing();
    }

    private long inode(String path) {
        return Objects.requireNonNull(made.get(path), path);
    }

    private static @Nullable ErrorKind kind(Runnable call) {
        try {
            call.run();
            return null;
        } catch (FarmException e) {
            return e.kind();
        }
    }

    private static <Q extends MessageLite, R extends MessageLite> Runnable empty(
            TestClient client, Method<Q, R> method) {
        return () -> {
            try {
                client.call(method, method.request().parseFrom(new byte[0]));
            } catch (InvalidProtocolBufferException e) {
                throw new IllegalStateException(e);
            }
        };
    }

    /** Each row of the table of methods; a new one is refused until somebody has thought of it. */
    @Test
    void everyMethodIsRefusedFreeOrJudged() {
        List<String> wrong = new ArrayList<>();
        for (Method<?, ?> method : MetadataCalls.ALL) {
            TestClient client = by("storage.read:/nowhere");
            ErrorKind told = kind(empty(client, method));
            boolean denied = told == ErrorKind.ACCESS_DENIED || told == ErrorKind.NOT_PERMITTED;
            UnderScopes row = method.access().underScopes();
            // an empty MUTATE or REFRESH is about nothing, an empty path is the root, on every way
            boolean nothing =
                    method == MetadataMethods.MUTATE
                            || method == MetadataMethods.REFRESH
                            || method == MetadataMethods.RESOLVE
                            || method == MetadataMethods.ACCESSED;
            boolean right =
                    row == UnderScopes.REFUSED
                            ? denied
                            : nothing || denied != (row == UnderScopes.FREE);
            if (!right) wrong.add(method + " " + row + ": " + told);
            client.peer.close();
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void noCallByNumberReachesWhatTheTokenDoesNotName() {
        TestClient token = by("storage.modify:/m storage.read:/r");
        CallsByNumber.all()
                .forEach((what, by) -> {
                    for (String elsewhere : List.of("/o/f", "/o", "/rx/f", "/rx")) {
                        ErrorKind told = kind(by.apply(token, inode(elsewhere)));
                        if (what.equals("statfs")) continue; // of the whole farm
                        assertThat(told)
                                .as(what + " " + elsewhere)
                                .isEqualTo(ErrorKind.ACCESS_DENIED);
                    }
                });
    }

    // ---- what each right gives

    private MutateRequest.Builder create(TestClient c, String parent, String name, boolean write) {
        return c.command()
                .setCreate(
                        CreateFile.newBuilder()
                                .setParent(inode(parent))
                                .setName(TestFarm.name(name))
                                .setMode(0644)
                                .setOpen(
                                        OpenRequest.newBuilder()
                                                .setWrite(write)
                                                .setRead(!write)
                                                .setHandle(++sessions)));
    }

    private Rename rename(String from, String name, String to, String toName) {
        return Rename.newBuilder()
                .setParent(inode(from))
                .setName(TestFarm.name(name))
                .setToParent(inode(to))
                .setToName(TestFarm.name(toName))
                .build();
    }

    private Remove remove(String parent, String name) {
        return Remove.newBuilder().setParent(inode(parent)).setName(TestFarm.name(name)).build();
    }

    private MakeLink link(String of, String parent, String name) {
        return MakeLink.newBuilder()
                .setInode(inode(of))
                .setParent(inode(parent))
                .setName(TestFarm.name(name))
                .build();
    }

    private SetAttributes.Builder set(String path) {
        return SetAttributes.newBuilder().setInode(inode(path));
    }

    private Runnable open(TestClient c, String path, boolean write) {
        return () ->
                c.call(
                        MetadataMethods.OPEN,
                        OpenRequest.newBuilder()
                                .setInode(inode(path))
                                .setRead(!write)
                                .setWrite(write)
                                .setHandle(++sessions)
                                .build());
    }

    private Runnable mutate(TestClient c, MutateRequest.Builder request) {
        return () -> c.call(MetadataMethods.MUTATE, request.build());
    }

    private Runnable list(TestClient c, String path) {
        return () ->
                c.call(
                        MetadataMethods.READ_DIRECTORY,
                        ReadDirectoryRequest.newBuilder().setInode(inode(path)).build());
    }

    private Runnable resolve(TestClient c, String path) {
        return () ->
                c.call(
                        MetadataMethods.RESOLVE,
                        ResolveRequest.newBuilder()
                                .setPath(TestFarm.name(top + path))
                                .setFollowLast(true)
                                .build());
    }

    private static Set<String> refused(Map<String, Runnable> calls) {
        Set<String> refused = new TreeSet<>();
        calls.forEach((what, call) -> {
            ErrorKind told = kind(call);
            if (told == ErrorKind.ACCESS_DENIED) refused.add(what);
            else assertThat(told).as(what).isNull();
        });
        return refused;
    }

    @Test
    void readingGivesNoChangeAndNoOtherPath() {
        TestClient c = by("storage.read:/r");
        Map<String, Runnable> calls = new LinkedHashMap<>();
        calls.put("open to read", open(c, "/r/f", false));
        calls.put("list", list(c, "/r"));
        calls.put("walk", resolve(c, "/r/f"));
        calls.put("walk to nothing", resolve(c, "/r/none"));
        calls.put("! list above", list(c, "/"));
        calls.put("! list a longer name", list(c, "/rx"));
        calls.put("! walk out", resolve(c, "/r/../o/f"));
        calls.put("! walk to what is not there", resolve(c, "/none"));
        calls.put("! open to write", open(c, "/r/f", true));
        calls.put("! create", mutate(c, create(c, "/r", "n", true)));
        calls.put("! open by create to write", mutate(c, create(c, "/r", "f", true)));
        calls.put("open by create to read", mutate(c, create(c, "/r", "f", false)));
        calls.put("! remove", mutate(c, c.command().setUnlink(remove("/r", "f"))));
        calls.put("! mode", mutate(c, c.command().setSetAttributes(set("/r/f").setMode(0600))));
        calls.put("! link", mutate(c, c.command().setLink(link("/r/f", "/r", "l"))));
        calls.put(
                "! xattr",
                mutate(
                        c,
                        c.command()
                                .setSetXattr(
                                        SetXattr.newBuilder()
                                                .setInode(inode("/r/f"))
                                                .setName(TestFarm.name("user.a")))));
        calls.put("! rename", mutate(c, c.command().setRename(rename("/r", "f", "/r", "g"))));
        assertThat(refused(calls)).isEqualTo(marked(calls));
    }

    @Test
    void creatingReplacesNothing() {
        TestClient c = by("storage.create:/c");
        Map<String, Runnable> calls = new LinkedHashMap<>();
        calls.put("create", mutate(c, create(c, "/c", "n", true)));
        calls.put(
                "age of it",
                mutate(c, c.command().setSetAttributes(set("/c/f").setMtimeNow(true))));
        calls.put(
                "directory",
                mutate(c, c.command().setMkdir(TestClient.directory(inode("/c"), "e"))));
        calls.put("rename", mutate(c, c.command().setRename(rename("/c", "n", "/c", "n2"))));
        calls.put(
                "! over another", mutate(c, c.command().setRename(rename("/c", "n2", "/c", "f"))));
        calls.put("! out", mutate(c, c.command().setRename(rename("/c", "n2", "/o", "n2"))));
        calls.put("! open by create", mutate(c, create(c, "/c", "f", true)));
        calls.put("! read", open(c, "/c/f", false));
        calls.put("! write", open(c, "/c/f", true));
        calls.put("! cut", mutate(c, c.command().setSetAttributes(set("/c/f").setSize(0))));
        calls.put("! give away", mutate(c, c.command().setSetAttributes(set("/c/f").setGid(7))));
        calls.put("! remove", mutate(c, c.command().setUnlink(remove("/c", "n2"))));
        calls.put("! list", list(c, "/c"));
        assertThat(refused(calls)).isEqualTo(marked(calls));
    }

    @Test
    void nothingIsMovedToWhereMoreIsAllowed() {
        TestClient c = by("storage.read:/r storage.create:/c storage.modify:/m storage.create:/r");
        Map<String, Runnable> calls = new LinkedHashMap<>();
        calls.put("! link to change", mutate(c, c.command().setLink(link("/r/f", "/m", "l"))));
        calls.put(
                "! move to change", mutate(c, c.command().setRename(rename("/c", "f", "/m", "g"))));
        calls.put("! move to read", mutate(c, c.command().setRename(rename("/c", "f", "/r", "g"))));
        calls.put(
                "! exchange",
                mutate(
                        c,
                        c.command()
                                .setRename(
                                        rename("/m", "f", "/c", "f").toBuilder()
                                                .setExchange(true))));
        calls.put("move", mutate(c, c.command().setRename(rename("/m", "f", "/m", "g"))));
        calls.put("remove", mutate(c, c.command().setUnlink(remove("/m", "g"))));
        assertThat(refused(calls)).isEqualTo(marked(calls));
    }

    @Test
    void aDirectoryIsNotPutAboveWhereMoreIsAllowed() {
        TestClient c = by("storage.create:/c storage.modify:/c/new/d");
        bob.mkdir(inode("/c/d"), "d");
        assertThat(kind(mutate(c, c.command().setRename(rename("/c", "d", "/c", "new")))))
                .isEqualTo(ErrorKind.ACCESS_DENIED);
    }

    @Test
    void theWayToWhatIsToBeMadeMayBeMade() {
        TestClient c = by("storage.create:/p/q/file");
        long p = c.mkdir(inode("/"), "p").getAttributes().getInode();
        made.put("/p", p);
        assertThat(kind(mutate(c, c.command().setMkdir(TestClient.directory(p, "other")))))
                .isEqualTo(ErrorKind.ACCESS_DENIED);
        made.put("/p/q", c.mkdir(p, "q").getAttributes().getInode());
        assertThat(kind(mutate(c, create(c, "/p/q", "other", true))))
                .isEqualTo(ErrorKind.ACCESS_DENIED);
        assertThat(kind(mutate(c, create(c, "/p/q", "file", true)))).isNull();
    }

    @Test
    void aLinkLeadsNowhereElse() {
        bob.call(
                MetadataMethods.MUTATE,
                bob.command()
                        .setSymlink(
                                MakeSymlink.newBuilder()
                                        .setParent(inode("/r"))
                                        .setName(TestFarm.name("out"))
                                        .setTarget(TestFarm.name(top + "/o/f")))
                        .build());
        TestClient c = by("storage.read:/r storage.read:/r/out/x");
        assertThat(kind(resolve(c, "/r/out"))).isEqualTo(ErrorKind.ACCESS_DENIED);
        TestClient through = by("storage.read:/r/out");
        assertThat(kind(open(through, "/o/f", false))).isEqualTo(ErrorKind.ACCESS_DENIED);
    }

    @Test
    void aSessionIsForTokensThatSayTheSame() {
        TestClient wide = by("storage.read:/");
        long session = wide.session;
        assertThat(kind(() -> TestClient.as("token:bob storage.read:/r", farm, leader, session)))
                .isEqualTo(ErrorKind.NOT_PERMITTED);
        TestClient.as("token:bob storage.read:" + top, farm, leader, session);
    }

    @Test
    void aTokenMakesNobodyTheSuperuser() {
        assertThat(
                        kind(() ->
                                TestClient.as(
                                        "token:alice storage.read:/", farm, leader, ++sessions)))
                .isEqualTo(ErrorKind.NOT_PERMITTED); // whose number is 0 here
    }

    private static Set<String> marked(Map<String, Runnable> calls) {
        Set<String> marked = new TreeSet<>(calls.keySet());
        marked.removeIf(what -> !what.startsWith("! "));
        return marked;
    }
}
