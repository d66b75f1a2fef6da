package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import org.gridfarm.client.cli.gateway.Gateway;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.rpc.HostPort;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The HTTP gateway of a person, on the usual farm: what is asked, and what is answered. */
class GatewayTest extends GatewayCases {
    // ---- mistakes, each with an answer of its own

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    GET    | /elsewhere                                        | 404 | /webhdfs/v1
                    GET    | /fs/gateway/../x                                  | 400 | holds no ..
                    GET    | /fs/gateway/%2e%2e/x                              | 400 | holds no ..
                    GET    | /webhdfs/v1/gateway/%2E%2E/x?op=OPEN              | 400 | holds no ..
                    GET    | /fs/gateway/a%00b                                 | 400 | no NUL
                    GET    | /webhdfs/v1/a%00b?op=GETFILESTATUS                | 400 | no NUL
                    GET    | /fs/gateway/none                                  | 404 | /gateway/none: not found
                    DELETE | /fs/gateway/none                                  | 404 | not found
                    POST   | /fs/gateway/none                                  | 405 | GET, HEAD, PUT, DELETE
                    GET    | /fs/gateway?sort=size                             | 400 | sort: invalid argument
                    PUT    | /fs/gateway/x?mode=999                            | 400 | octal
                    PUT    | /fs/gateway/none/x                                | 404 | not found
                    PUT    | /fs/gateway                                       | 409 | is a directory
                    GET    | /webhdfs/v1/gateway                               | 400 | op
                    GET    | /webhdfs/v1/gateway?op=NOTHING                    | 400 | no operation is called NOTHING
                    POST   | /webhdfs/v1/gateway?op=LISTSTATUS                 | 405 | asked for by GET
                    GET    | /webhdfs/v1/gateway?op=LISTSTATUS&x=1             | 400 | LISTSTATUS knows
                    GET    | /webhdfs/v1/gateway?op=LISTSTATUS&op=OPEN         | 400 | stands 2 times
                    GET    | /webhdfs/v1/gateway/f?op=OPEN&offset=-1           | 400 | offset
                    GET    | /webhdfs/v1/gateway/f?op=OPEN&offset=x            | 400 | is a number
                    GET    | /webhdfs/v1/gateway/f?op=OPEN&offset=999          | 400 | behind the end
                    GET    | /webhdfs/v1/gateway/f?op=OPEN&length=-2           | 400 | length
                    GET    | /webhdfs/v1/gateway/none?op=OPEN                  | 404 | FileNotFoundException
                    GET    | /webhdfs/v1/gateway?op=OPEN                       | 404 | FileNotFoundException
                    GET    | /webhdfs/v1/gateway/f/x?op=GETFILESTATUS          | 404 | FileNotFoundException
                    POST   | /webhdfs/v1/gateway/f?op=CONCAT&sources=/gateway/g | 400 | UnsupportedOperationException
                    PUT    | /webhdfs/v1/gateway/f?op=CREATE                   | 403 | FileAlreadyExistsException
                    PUT    | /webhdfs/v1/gateway/f?op=SETPERMISSION&permission=8 | 400 | octal
                    PUT    | /webhdfs/v1/gateway/f?op=SETOWNER&owner=nobody-here | 400 | knows none of that name
                    PUT    | /webhdfs/v1/gateway/f?op=SETREPLICATION&replication=0 | 400 | at least 1
                    POST   | /webhdfs/v1/gateway/f?op=TRUNCATE&newlength=99    | 400 | newlength
                    GET    | /webhdfs/v1/gateway/f?op=GETXATTRS&xattr.name=user.none | 404 | no such attribute
                    GET    | /webhdfs/v1/gateway/f?op=CHECKACCESS&fsaction=abc | 400 | fsaction
                    GET    | /webhdfs/v1/gateway?op=LISTSTATUS&doas=carol      | 403 | AccessControlException
                    GET    | /webhdfs/v1/gateway?op=LISTSTATUS&delegation=x    | 400 | no delegation tokens
                    PUT    | /webhdfs/v1/gateway?op=RENAME&destination=x       | 400 | begins with
                    """)
    void whatCannotBeIsRefusedInOneLine(String method, String path, int status, String why) {
        farm.client().mkdirs(FarmPath.of("/gateway"));
        assertThat(put(FS + "/f", "some text").statusCode()).isIn(201, 204);
        HttpResponse<String> answer = raw(method, path);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.body()).contains(why).doesNotContain("Exception: ");
        assertThat(answer.body().strip().lines()).hasSize(1);
    }

    @Test
    void brokenPercentSignsAreRefused() throws IOException {
        assertThat(rawAnswer("GET /fs/%zz HTTP/1.1\r\nHost: x\r\n\r\n")).startsWith("HTTP/1.1 400");
        assertThat(rawAnswer("GET /fs/%4 HTTP/1.1\r\nHost: x\r\n\r\n")).startsWith("HTTP/1.1 400");
        assertThat(rawAnswer("GET /fs/x?a=%zz HTTP/1.1\r\nHost: x\r\n\r\n"))
                .startsWith("HTTP/1.1 400");
        assertThat(rawAnswer("what is this\r\n\r\n")).startsWith("HTTP/1.1 400");
        assertThat(rawAnswer("GET /fs/" + "a".repeat(40_000) + " HTTP/1.1\r\n\r\n"))
                .startsWith("HTTP/1.1 400");
    }

    private static String rawAnswer(String request) throws IOException {
        try (Socket socket = socket()) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            byte[] begin = socket.getInputStream().readNBytes("HTTP/1.1 400".length());
            return new String(begin, StandardCharsets.ISO_8859_1);
        }
    }

    private static Socket socket() throws IOException {
        URI url = URI.create(gateway.url());
        Socket socket = new Socket(url.getHost(), url.getPort());
        socket.setSoTimeout(30_000);
        return socket;
    }

    // ---- who is let in

    @Test
    void whoProvesNothingGetsNothing() {
        HttpRequest naked = HttpRequest.newBuilder(URI.create(gateway.url() + FS)).build();
        assertThat(send(naked).statusCode()).isEqualTo(401);
        HttpRequest wrong =
                HttpRequest.newBuilder(URI.create(gateway.url() + WEB + "?op=LISTSTATUS"))
                        .header("Authorization", "Bearer something else")
                        .build();
        assertThat(send(wrong).statusCode()).isEqualTo(401);
        assertThat(send(wrong).body()).contains("RemoteException", "that is not the token");
        assertThat(get(FS, "Origin", "https://evil.example").statusCode()).isEqualTo(403);
        assertThat(get(FS, "Sec-Fetch-Site", "cross-site").statusCode()).isEqualTo(403);
        assertThat(get("/healthz").body()).isEqualTo("ok\n");
        HttpResponse<String> page = get(FS);
        assertThat(page.headers().firstValue("Content-Security-Policy"))
                .hasValueSatisfying(policy -> assertThat(policy).contains("sandbox"));
        assertThat(page.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
    }

    @Test
    void othersAreReachedByTlsOnly() {
        for (boolean open : List.of(true, false)) {
            Gateway.Settings settings =
                    new Gateway.Settings(
                            new HostPort("0.0.0.0", 0),
                            Optional.empty(),
                            Optional.empty(),
                            Set.of(),
                            open,
                            Optional.of(TOKEN),
                            Optional.empty());
            assertThatThrownBy(() -> Gateway.start(config, settings))
                    .isInstanceOf(FarmException.class)
                    .hasMessageContaining("others reach this address");
        }
    }

    // ---- plain files

    @Test
    void aFileIsPutReadInPartsAndDeleted() {
        String path = FS + "/plain %C3%A4%FF".replace(" ", "%20");
        HttpResponse<String> made = put(path, "0123456789");
        assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
        HttpResponse<String> whole = get(path);
        assertThat(whole.body()).isEqualTo("0123456789");
        assertThat(whole.headers().firstValue("Accept-Ranges")).contains("bytes");
        String tag = whole.headers().firstValue("ETag").orElseThrow();
        String date = whole.headers().firstValue("Last-Modified").orElseThrow();

        ranged(path, "bytes=2-4", 206, "234", "bytes 2-4/10");
        ranged(path, "bytes=7-", 206, "789", "bytes 7-9/10");
        ranged(path, "bytes=-3", 206, "789", "bytes 7-9/10");
        ranged(path, "bytes=-99", 206, "0123456789", "bytes 0-9/10");
        ranged(path, "bytes=8-99", 206, "89", "bytes 8-9/10");
        ranged(path, "bytes=0-0,5-5", 200, "0123456789", "");
        ranged(path, "lines=1-2", 200, "0123456789", "");
        for (String behind : List.of("bytes=10-", "bytes=99-100", "bytes=-0")) {
            HttpResponse<String> none = get(path, "Range", behind);
            assertThat(none.statusCode()).as(behind).isEqualTo(416);
            assertThat(none.headers().firstValue("Content-Range")).contains("bytes */10");
        }
        for (String wrong : List.of("bytes=5-2", "bytes=-", "bytes=a-b", "bytes=--5")) {
            assertThat(get(path, "Range", wrong).statusCode()).as(wrong).isEqualTo(400);
        }
        assertThat(get(path, "Range", "bytes=1-1", "If-Range", "\"other\"").statusCode())
                .isEqualTo(200);
        assertThat(get(path, "Range", "bytes=1-1", "If-Range", tag).body()).isEqualTo("1");

        assertThat(get(path, "If-None-Match", tag).statusCode()).isEqualTo(304);
        assertThat(get(path, "If-None-Match", "\"x\", " + tag).statusCode()).isEqualTo(304);
        assertThat(get(path, "If-None-Match", "\"x\"").statusCode()).isEqualTo(200);
        assertThat(get(path, "If-Match", "\"x\"").statusCode()).isEqualTo(412);
        assertThat(get(path, "If-Modified-Since", date).statusCode()).isEqualTo(304);

        HttpResponse<String> head = send(at(path).method("HEAD", BodyPublishers.noBody()).build());
        assertThat(head.headers().firstValue("Content-Length")).contains("10");
        assertThat(head.body()).isEmpty();

        assertThat(put(path, "more").statusCode()).isEqualTo(204);
        assertThat(get(path, "If-None-Match", tag).body()).isEqualTo("more");
        assertThat(raw("DELETE", path).statusCode()).isEqualTo(204);
        assertThat(get(path).statusCode()).isEqualTo(404);
    }

    private static void ranged(String path, String range, int status, String body, String told) {
        HttpResponse<String> part = get(path, "Range", range);
        assertThat(part.statusCode()).as(range).isEqualTo(status);
        assertThat(part.body()).as(range).isEqualTo(body);
        assertThat(part.headers().firstValue("Content-Range").orElse("")).isEqualTo(told);
    }

    @Test
    void aNameThatIsTakenIsReplacedOnlyByWhoMayAndMeansIt() {
        String path = FS + "/taken";
        HttpRequest onlyNew =
                at(path).header("If-None-Match", "*").PUT(BodyPublishers.ofString("a")).build();
        assertThat(send(onlyNew).statusCode()).isEqualTo(201);
        assertThat(send(onlyNew).statusCode()).isEqualTo(412);
        farm.client().chmod(FarmPath.of("/gateway/taken"), 0640);
        String tag = get(path).headers().firstValue("ETag").orElseThrow();
        assertThat(put(path, "b").statusCode()).isEqualTo(204);
        assertThat(farm.client().stat(FarmPath.of("/gateway/taken")).mode()).isEqualTo(0640);
        HttpRequest ofBefore =
                at(path).header("If-Match", tag).PUT(BodyPublishers.ofString("c")).build();
        assertThat(send(ofBefore).statusCode()).isEqualTo(412);
        assertThat(read("/gateway/taken")).isEqualTo("b");
        farm.client().symlink("taken", FarmPath.of("/gateway/link"));
        assertThat(get(FS + "/link").body()).isEqualTo("b");
        assertThat(put(FS + "/link", "d").body()).contains("symbolic link");
    }

    @Test
    void directoriesAreMadeListedAndRemoved() {
        assertThat(raw("PUT", FS + "/dir/").statusCode()).isEqualTo(201);
        assertThat(raw("PUT", FS + "/dir/").statusCode()).isEqualTo(412);
        assertThat(put(FS + "/dir/a/b/c?mkdirs=true&mode=600", "deep").statusCode()).isEqualTo(201);
        farm.client().symlink("a/b/c", FarmPath.of("/gateway/dir/l"));
        farm.client().symlink("nowhere", FarmPath.of("/gateway/dir/m"));
        JsonNode listed = json(get(FS + "/dir"));
        assertThat(listed.get("path").asString()).isEqualTo("/gateway/dir");
        assertThat(listed.get("entries").toString())
                .contains("\"name\":\"a\",\"type\":\"directory\"")
                .contains("\"name\":\"l\",\"type\":\"file\",\"size\":4,\"mode\":\"0600\"")
                .contains("\"target\":\"a/b/c\"")
                .contains("\"name\":\"m\",\"type\":\"link\"");
        JsonNode one = json(get(FS + "/dir/a/b/c?stat=true"));
        assertThat(one.get("size").asInt()).isEqualTo(4);
        assertThat(raw("DELETE", FS + "/dir").statusCode()).isEqualTo(409);
        assertThat(raw("DELETE", FS + "/dir?recursive=true").statusCode()).isEqualTo(204);
        assertThat(names("/gateway")).doesNotContain("dir");
        assertThat(get(FS + "/f/").statusCode()).isIn(404, 409);
    }

    @Test
    void aFileIsCopiedWithinTheFarm() {
        put(FS + "/source", "copied on the nodes");
        assertThat(raw("PUT", FS + "/copy?copy=/gateway/source").statusCode()).isEqualTo(201);
        assertThat(read("/gateway/copy")).isEqualTo("copied on the nodes");
        assertThat(raw("PUT", FS + "/copy?copy=/gateway/none").statusCode()).isEqualTo(404);
        assertThat(names("/gateway")).noneMatch(name -> name.startsWith(".upload."));
    }

    @Test
    void manyPiecesGoBothWays() throws Exception {
        byte[] much = new byte[9_000_001];
        new java.util.Random(7).nextBytes(much);
        HttpRequest chunked =
                at(FS + "/much")
                        .expectContinue(true)
                        .PUT(
                                BodyPublishers.ofInputStream(
                                        () -> new java.io.ByteArrayInputStream(much)))
                        .build();
        assertThat(send(chunked).statusCode()).isEqualTo(201);
        assertThat(CLIENT.send(at(FS + "/much").build(), BodyHandlers.ofByteArray()).body())
                .isEqualTo(much);
        HttpRequest part = at(FS + "/much").header("Range", "bytes=3000000-8999999").build();
        assertThat(CLIENT.send(part, BodyHandlers.ofByteArray()).body())
                .isEqualTo(java.util.Arrays.copyOfRange(much, 3_000_000, 9_000_000));
    }

    /** The body ends before it is whole, in each of the ways that there are. */
    @ParameterizedTest
    @CsvSource({"FS, length", "FS, chunks", "FS, nonsense", "WEB, length", "WEB, chunks"})
    void ofAnUploadThatBreaksOffNothingIsSeen(String door, String how) throws IOException {
        String path =
                door.equals("FS")
                        ? FS + "/broken"
                        : WEB + "/broken?op=CREATE&overwrite=true&data=true";
        put(FS + "/broken", "what was there");
        try (Socket socket = socket()) {
            OutputStream out = socket.getOutputStream();
            String framing =
                    how.equals("length") ? "Content-Length: 1000000" : "Transfer-Encoding: chunked";
            out.write(
                    ("PUT "
                                    + path
                                    + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
                                    + TOKEN
                                    + "\r\n"
                                    + framing
                                    + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            String chunk = how.equals("length") ? "" : "10000\r\n";
            out.write((chunk + "x".repeat(65536)).getBytes(StandardCharsets.US_ASCII));
            if (!how.equals("length")) out.write("\r\n".getBytes(StandardCharsets.US_ASCII));
            if (how.equals("nonsense"))
                out.write("zz\r\nzz\r\n".getBytes(StandardCharsets.US_ASCII));
            out.flush();
            if (how.equals("nonsense")) {
                // It may be over before anybody has looked: what comes back says that it is.
                socket.setSoTimeout(10_000);
                int unused = socket.getInputStream().read();
            } else {
                await().until(() ->
                        names("/gateway").stream().anyMatch(n -> n.startsWith(".upload.")));
            }
            assertThat(read("/gateway/broken")).isEqualTo("what was there");
        }
        await().until(() -> names("/gateway").stream().noneMatch(n -> n.startsWith(".upload.")));
        assertThat(read("/gateway/broken")).isEqualTo("what was there");
    }

    @Test
    void aConnectionIsUsedAgainAfterARefusedUpload() throws IOException {
        try (Socket socket = socket()) {
            String refused =
                    "PUT /fs/gateway/none/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
                            + TOKEN
                            + "\r\nContent-Length: 5\r\n\r\n12345";
            String next = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write((refused + next).getBytes(StandardCharsets.US_ASCII));
            String answers =
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertThat(answers).containsSubsequence("HTTP/1.1 404", "HTTP/1.1 200", "ok\n");
        }
    }

    // ---- when the farm cannot

    @Test
    void aFarmThatIsNotThereIsNamed() throws IOException {
        int nobody;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = socket.getLocalPort();
        }
        Path text = Files.createTempFile("gateway", ".toml");
        Files.writeString(
                text,
                Files.readString(farm.directory().resolve("client.toml"))
                        .replaceFirst(
                                "metaservers = .*", "metaservers = [\"127.0.0.1:" + nobody + "\"]")
                        .replaceFirst("(?m)^scheduler = .*", "timeout = \"1s\""));
        try (Gateway lonely = gateway(ClientConfig.read(text), true)) {
            for (String path : List.of(FS, WEB + "?op=LISTSTATUS", "/healthz")) {
                HttpResponse<String> answer =
                        send(HttpRequest.newBuilder(URI.create(lonely.url() + path)).build());
                assertThat(answer.statusCode()).as(path + answer.body()).isEqualTo(503);
                assertThat(answer.body()).contains("127.0.0.1:" + nobody);
            }
            HttpRequest disguised =
                    HttpRequest.newBuilder(
                                    URI.create(lonely.url().replace("127.0.0.1", "127.0.0.2") + FS))
                            .build();
            assertThatThrownBy(() -> CLIENT.send(disguised, BodyHandlers.ofString()))
                    .isInstanceOf(IOException.class); // it listens on one address
        } finally {
            Files.delete(text);
        }
    }

    @Test
    void countsAreShownToOperators() throws Exception {
        get(FS);
        URI metrics = URI.create("http://" + gateway.http().orElseThrow() + "/metrics");
        HttpResponse<String> shown =
                CLIENT.send(HttpRequest.newBuilder(metrics).build(), BodyHandlers.ofString());
        assertThat(shown.body())
                .contains(
                        "gf_gateway_requests_total",
                        "status=\"200\"",
                        "gf_gateway_sent_bytes_total");
    }
}
