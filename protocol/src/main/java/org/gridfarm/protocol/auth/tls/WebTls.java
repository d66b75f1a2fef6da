package org.gridfarm.protocol.auth.tls;

import org.gridfarm.protocol.auth.x509.ChainValidator;
import org.gridfarm.protocol.auth.x509.ChainValidator.Part;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.TrustManager;

/**
 * TLS of a web server that browsers come to: the farm's authorities judge a certificate where a
 * browser shows one, and it may show none. Thread-safe.
 */
public final class WebTls {
    private final SSLContext context;
    private final ChainValidator validator;
    private final Clock clock;

    /**
     * @param credential what is shown to browsers; asked at each handshake
     */
    public WebTls(Supplier<Credential> credential, ChainValidator validator, Clock clock) {
        this.validator = validator;
        this.clock = clock;
        try {
            context = SSLContext.getInstance("TLS");
            context.init(
                    new KeyManager[] {new OwnKeyManager(credential)},
                    new TrustManager[] {new ChainTrustManager(validator, clock)},
                    null);
        } catch (GeneralSecurityException e) {
            throw new FarmException(
                    ErrorKind.BAD_CONFIGURATION, "set up TLS", "", String.valueOf(e), e);
        }
    }

    public SSLContext context() {
        return context;
    }

    /**
     * The name in the certificate of the other side, which is judged again: a connection outlives a
     * revocation. Empty where it has shown none, or none that is good now.
     */
    public Optional<String> nameOf(SSLSession session) {
        try {
            session.getPeerCertificates();
        } catch (SSLPeerUnverifiedException e) {
            return Optional.empty();
        }
        return nameOf(TlsContexts.chainOf(session));
    }

    /** The name that a chain proves; empty where it is not good now. */
    public Optional<String> nameOf(List<X509Certificate> chain) {
        try {
            return Optional.of(validator.validate(chain, Part.CLIENT, clock.now()).dn());
        } catch (CertificateException e) {
            return Optional.empty();
        }
    }
}
