package org.gridfarm.client.cli.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Loops;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Real sockets: a client that sends on is not cut off before it has read why it is refused. */
@Timeout(30)
class HttpConnectionTest {
    private static final int BODY_BYTES = 4 << 20; // more than sockets hold

    private final Loops loops = Loops.start("test", 1);
    private final HttpListener listener =
            HttpListener.bind(
                    loops,
                    new HostPort("127.0.0.1", 0),
                    Optional.empty(),
                    (request, answer) -> answer.text(403, "not you"));

    @AfterEach
    void close() {
        listener.close();
        loops.close();
    }

    /** The head; then, when the answer has come, the whole body; then what there is to be read. */
    private List<String> told(String head) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), listener.port())) {
            OutputStream out = socket.getOutputStream();
            BufferedReader in =
                    new BufferedReader(
                            new InputStreamReader(
                                    socket.getInputStream(), StandardCharsets.ISO_8859_1));
            out.write(head.getBytes(StandardCharsets.ISO_8859_1));
            List<String> lines = new ArrayList<>();
            lines.add(in.readLine());
            out.write(new byte[BODY_BYTES]);
            socket.shutdownOutput();
            in.lines().forEach(lines::add);
            return lines;
        }
    }

    private static String put(String more) {
        return "PUT /x HTTP/1.1\r\nHost: h\r\nContent-Length: "
                + BODY_BYTES
                + "\r\n"
                + more
                + "\r\n";
    }

    @Test
    void aBodyIsTakenFromAClientThatIsRefused() throws IOException {
        assertThat(told(put("")))
                .startsWith("HTTP/1.1 403 Forbidden")
                .endsWith("not you")
                .doesNotContain("connection: close");
    }

    @Test
    void andFromOneThatDidNotWaitToBeToldToSendIt() throws IOException {
        assertThat(told(put("Expect: 100-continue\r\n")))
                .startsWith("HTTP/1.1 403 Forbidden")
                .contains("connection: close")
                .endsWith("not you");
    }

    @Test
    void andFromOneThatSpeaksNoHttp() throws IOException {
        assertThat(told("what is this\r\n\r\n")).startsWith("HTTP/1.1 400 Bad Request");
    }
}
