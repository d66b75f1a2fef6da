package org.gridfarm.protocol.auth.tls;

import org.gridfarm.protocol.auth.x509.ChainValidator;
import org.gridfarm.protocol.auth.x509.ChainValidator.Part;
import org.gridfarm.protocol.auth.x509.GuestCertificate;
import org.gridfarm.protocol.env.Clock;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Puts the chain validator in the place of the engine's own judgement. Being an extended trust
 * manager it also switches off the engine's host name check, which {@link ExpectedPeer} makes up
 * for after every handshake.
 */
final class ChainTrustManager extends X509ExtendedTrustManager {
    private final ChainValidator validator;
    private final Clock clock;
    private final boolean guests;

    ChainTrustManager(ChainValidator validator, Clock clock) {
        this(validator, clock, false);
    }

    /**
     * @param guests clients may come that no authority knows
     */
    ChainTrustManager(ChainValidator validator, Clock clock, boolean guests) {
        this.validator = validator;
        this.clock = clock;
        this.guests = guests;
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        check(chain, Part.CLIENT);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        check(chain, Part.SERVER);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        check(chain, Part.CLIENT);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        check(chain, Part.SERVER);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType)
            throws CertificateException {
        check(chain, Part.CLIENT);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType)
            throws CertificateException {
        check(chain, Part.SERVER);
    }

    /**
     * None: a list of all grid authorities would cost kilobytes per handshake and proxies would not
     * fit it anyway.
     */
    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }

    private void check(X509Certificate[] chain, Part part) throws CertificateException {
        try {
            if (guests && part == Part.CLIENT && GuestCertificate.is(List.of(chain))) {
                GuestCertificate.judge(chain[0], clock.now());
                return;
            }
            validator.validate(List.of(chain), part, clock.now());
        } catch (RuntimeException e) {
            throw new CertificateException("the chain cannot be read", e);
        }
    }
}
