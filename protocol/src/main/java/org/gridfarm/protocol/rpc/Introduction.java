package org.gridfarm.protocol.rpc;

import com.google.protobuf.InvalidProtocolBufferException;

import org.gridfarm.protocol.auth.tls.AnyServer;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Failure;
import org.gridfarm.protocol.wire.Welcome;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;

/**
 * What a server shows and says to somebody who does not judge it: for finding out which link of the
 * chain is broken. One connection that is closed again. Blocking.
 *
 * @param shown its certificates
 * @param welcome how it greets whoever has that credential; empty where it refuses him
 * @param refusal why, as far as it says so
 * @param asked between when and {@code answered} the welcome was written
 */
public record Introduction(
        List<X509Certificate> shown,
        Optional<Welcome> welcome,
        Optional<FarmException> refusal,
        Instant asked,
        Instant answered) {
    private static final int PATIENCE_MILLIS = (int) Duration.ofSeconds(5).toMillis();
    private static final int GREETING_BYTES_MAX = 64 << 10;

    /**
     * @throws FarmException UNAVAILABLE or TIMED_OUT where nobody answers; NOT_AUTHENTICATED where
     *     TLS fails before the server has shown a certificate
     */
    public static Introduction of(HostPort address, Credential own) {
        AnyServer server;
        try {
            server = new AnyServer(own);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has TLS 1.3", e);
        }
        Instant asked = Instant.now();
        try (Socket plain = new Socket()) {
            plain.connect(new InetSocketAddress(address.host(), address.port()), PATIENCE_MILLIS);
            plain.setSoTimeout(PATIENCE_MILLIS);
            try (SSLSocket tls =
                    (SSLSocket)
                            server.sockets()
                                    .createSocket(plain, address.host(), address.port(), true)) {
                asked = Instant.now();
                tls.startHandshake();
                return greeting(tls, server.shown(), asked, address);
            }
        } catch (IOException e) {
            if (!server.shown().isEmpty()) {
                return refused(server.shown(), noGreeting(address, e), asked, Instant.now());
            }
            if (!(e instanceof SSLException)) throw NetworkTrouble.toFailure(e, address);
            throw noGreeting(address, e);
        }
    }

    /**
     * The alert that says what it thinks of our certificate, or the end of the connection, which
     * may come before the alert is read.
     */
    private static FarmException noGreeting(HostPort address, IOException cause) {
        String alert = cause instanceof SSLException ? cause.getMessage() : null;
        return new FarmException(
                ErrorKind.NOT_AUTHENTICATED,
                "connect",
                address.toString(),
                alert != null ? alert : "it hung up on your certificate",
                cause);
    }

    private static Introduction greeting(
            SSLSocket tls, List<X509Certificate> shown, Instant asked, HostPort address)
            throws IOException {
        try {
            DataInputStream in = new DataInputStream(tls.getInputStream());
            int length = in.readInt();
            if (length < FrameReader.HEAD_BYTES || length > GREETING_BYTES_MAX) {
                throw new FarmException(
                        ErrorKind.PROTOCOL, "connect", address.toString(), "no server of a farm");
            }
            ByteBuffer frame = ByteBuffer.wrap(in.readNBytes(length));
            Instant answered = Instant.now();
            ByteBuffer message =
                    frame.slice(
                            FrameReader.HEAD_BYTES,
                            frame.getInt(FrameReader.HEAD_BYTES - Integer.BYTES));
            return frame.get(0) == FrameType.WELCOME
                    ? new Introduction(
                            shown,
                            Optional.of(Welcome.parseFrom(message)),
                            Optional.empty(),
                            asked,
                            answered)
                    : refused(
                            shown,
                            InboundExchange.decode(Failure.parseFrom(message)),
                            asked,
                            answered);
        } catch (InvalidProtocolBufferException | IndexOutOfBoundsException e) {
            throw new FarmException(
                    ErrorKind.PROTOCOL, "connect", address.toString(), "no server of a farm", e);
        }
    }

    private static Introduction refused(
            List<X509Certificate> shown, FarmException why, Instant asked, Instant answered) {
        return new Introduction(shown, Optional.empty(), Optional.of(why), asked, answered);
    }
}
