package org.gridfarm.protocol.auth.tls;

import org.gridfarm.protocol.auth.x509.Credential;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.List;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * TLS to whoever answers, so as to look at what he shows. Nothing said to him is secret, and
 * nothing he says is true: for finding faults, never for work.
 */
public final class AnyServer {
    private AnyServer() {}

    /** Sockets that show this credential and refuse nobody. */
    public static SSLSocketFactory sockets(Credential own) throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(
                new KeyManager[] {new OwnKeyManager(() -> own)},
                new TrustManager[] {new Everybody()},
                null);
        return context.getSocketFactory();
    }

    /** What the other side has shown; NOT_AUTHENTICATED where that is nothing. */
    public static List<X509Certificate> shownBy(SSLSession session) {
        return TlsContexts.chainOf(session);
    }

    private static final class Everybody extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
