package org.gridfarm.protocol.auth.tls;

import org.gridfarm.protocol.auth.x509.Credential;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.List;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * TLS to whoever answers, so as to look at what he shows. Nothing said to him is secret, and
 * nothing he says is true: for finding faults, never for work.
 */
public final class AnyServer {
    private final SSLSocketFactory sockets;
    private volatile List<X509Certificate> shown = List.of();

    /**
     * @param own what is shown to it
     */
    public AnyServer(Credential own) throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(
                new KeyManager[] {new OwnKeyManager(() -> own)},
                new TrustManager[] {new Everybody()},
                null);
        sockets = context.getSocketFactory();
    }

    /** Its sockets refuse nobody. */
    public SSLSocketFactory sockets() {
        return sockets;
    }

    /**
     * What the other side has shown, even where the handshake failed after that; empty where it has
     * shown nothing.
     */
    public List<X509Certificate> shown() {
        return shown;
    }

    private final class Everybody extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind, Socket socket) {
            shown = List.of(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind, SSLEngine engine) {
            shown = List.of(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind) {
            shown = List.of(chain);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
