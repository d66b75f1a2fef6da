package org.gridfarm.protocol.auth.tls;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.ImmediateExecutor;

import org.gridfarm.protocol.auth.Current;
import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.x509.AuthenticatedChain;
import org.gridfarm.protocol.auth.x509.ChainValidator;
import org.gridfarm.protocol.auth.x509.ChainValidator.Part;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.auth.x509.GuestCertificate;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/**
 * TLS for this process, as a server and as a client: version 1.3 only, certificates on both sides.
 *
 * <p>{@link #secureServer} and {@link #secureClient} put two handlers at the end of a pipeline: TLS
 * itself and the check of the peer. What stands behind them gets either the event {@link
 * AuthenticatedPeer}, after which (and never before) bytes arrive, or the event {@link
 * PeerRefused}. Thread-safe; one per process is enough.
 */
public final class TlsContexts {
    /** The peer of a channel, once it is authenticated. */
    public static final AttributeKey<AuthenticatedPeer> PEER =
            AttributeKey.valueOf(TlsContexts.class, "peer");

    /** What this side shows on a channel; a resumed session does not tell. */
    public static final AttributeKey<X509Certificate> OWN =
            AttributeKey.valueOf(TlsContexts.class, "own");

    public static final Duration HANDSHAKE_MAX =
            Duration.ofSeconds(8); // below the 10 s that a call may block

    /**
     * Every buffer as it comes, many records of it at once: frames are gathered already, and a
     * block is not to be copied. A record at a time made a stream of blocks a quarter slower.
     */
    private static final int WHOLE_BUFFERS = 0;

    private static final long SESSION_SECONDS_MAX = 300;
    private static final long SESSIONS_MAX = 10_000;
    private static final String[] PROTOCOLS = {"TLSv1.3"};

    private final ChainValidator validator;
    private final Current<GridMap> map;
    private final Clock clock;
    private final Executor handshakes;
    private final Supplier<Credential> credential;
    private final SslProvider provider;
    private final boolean guests;
    private volatile Sides sides;

    /**
     * @param credential who this process is; asked at each handshake, so that a renewed proxy takes
     *     effect
     * @param map who the others are; asked at each connection. Clients may pass an empty map and
     *     expect hosts by name
     */
    public TlsContexts(
            Supplier<Credential> credential,
            ChainValidator validator,
            Current<GridMap> map,
            Clock clock,
            TlsEngine engine) {
        this(credential, validator, map, clock, engine, ImmediateExecutor.INSTANCE);
    }

    /**
     * As above, with the costly parts of handshakes done by an executor instead of the event loop.
     */
    public TlsContexts(
            Supplier<Credential> credential,
            ChainValidator validator,
            Current<GridMap> map,
            Clock clock,
            TlsEngine engine,
            Executor handshakes) {
        this(credential, validator, map, clock, engine, handshakes, false);
    }

    /**
     * As above.
     *
     * @param guests clients may come that no authority knows: {@link Identity#guest}
     */
    public TlsContexts(
            Supplier<Credential> credential,
            ChainValidator validator,
            Current<GridMap> map,
            Clock clock,
            TlsEngine engine,
            Executor handshakes,
            boolean guests) {
        this.guests = guests;
        this.validator = validator;
        this.map = map;
        this.clock = clock;
        this.handshakes = handshakes;
        this.credential = credential;
        this.provider = engine.provider();
        this.sides = sides(credential.get());
    }

    /**
     * Both sides as they are with one credential. A session that is resumed goes on with the
     * certificates of its first handshake, so sessions go with the credential: else a renewed proxy
     * would be refused when the former one has expired.
     */
    private record Sides(Credential credential, SslContext server, SslContext client) {}

    private Sides sides() {
        Credential now = credential.get();
        Sides known = sides;
        return known.credential == now ? known : renewed(now);
    }

    private synchronized Sides renewed(Credential now) {
        if (sides.credential != now) sides = sides(now);
        return sides;
    }

    private Sides sides(Credential own) {
        OwnKeyManager keys = new OwnKeyManager(() -> own);
        ChainTrustManager trust = new ChainTrustManager(validator, clock, guests);
        try {
            SslContext server =
                    SslContextBuilder.forServer(keys)
                            .sslProvider(provider)
                            .trustManager(trust)
                            .clientAuth(ClientAuth.REQUIRE)
                            .protocols(PROTOCOLS)
                            .sessionTimeout(SESSION_SECONDS_MAX)
                            .sessionCacheSize(SESSIONS_MAX)
                            .build();
            SslContext client =
                    SslContextBuilder.forClient()
                            .keyManager(keys)
                            .sslProvider(provider)
                            .trustManager(trust)
                            .protocols(PROTOCOLS)
                            .endpointIdentificationAlgorithm(
                                    null) // ExpectedPeer does it, on resumed sessions too
                            .sessionTimeout(SESSION_SECONDS_MAX)
                            .sessionCacheSize(SESSIONS_MAX)
                            .build();
            return new Sides(own, server, client);
        } catch (SSLException e) {
            throw new FarmException(
                    ErrorKind.BAD_CONFIGURATION,
                    "set up TLS",
                    provider.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }

    /** For the channels of a listening socket. */
    public void secureServer(ChannelPipeline pipeline) {
        Sides now = sides();
        pipeline.channel().attr(OWN).set(now.credential().certificate());
        SslHandler handler = now.server().newHandler(pipeline.channel().alloc(), handshakes);
        secure(
                pipeline,
                handler,
                new PeerCheck(this, Part.CLIENT, AuthenticatedPeer::identity, clock));
    }

    /** For a channel to that host and port; {@code expected} must accept whoever answers there. */
    public void secureClient(
            ChannelPipeline pipeline, String host, int port, ExpectedPeer expected) {
        Sides now = sides();
        pipeline.channel().attr(OWN).set(now.credential().certificate());
        SslHandler handler =
                now.client().newHandler(pipeline.channel().alloc(), host, port, handshakes);
        secure(pipeline, handler, new PeerCheck(this, Part.SERVER, expected, clock));
    }

    /** What is wrong with the credential of this process by itself, by this clock. */
    public Optional<String> ownFlaw() {
        Credential own = credential.get();
        if (clock.now().isBefore(own.notAfter())) {
            return own.flaw().map(flaw -> "your credential is of no use: " + flaw);
        }
        return Optional.of(
                "your credential, %s, expired at %s: gf proxy init makes a proxy"
                        .formatted(
                                own.certificate().getSubjectX500Principal().getName(),
                                own.notAfter()));
    }

    private static void secure(ChannelPipeline pipeline, SslHandler handler, PeerCheck check) {
        handler.setHandshakeTimeout(HANDSHAKE_MAX.toMillis(), TimeUnit.MILLISECONDS);
        handler.setWrapDataSize(WHOLE_BUFFERS);
        pipeline.addLast("tls", handler);
        pipeline.addLast("peer-check", check);
    }

    /**
     * Whom the session's chain shows now; NOT_AUTHENTICATED where it does not stand, expired since
     * included.
     */
    public AuthenticatedPeer peerOf(SSLSession session, Part part) {
        return peerOf(chainOf(session), part);
    }

    /** The identity of a client: validated anew, then mapped. */
    public Identity identityOf(SSLSession session) {
        return peerOf(session, Part.CLIENT).identity();
    }

    /** The same of a chain that came by another way. */
    public AuthenticatedPeer peerOf(List<X509Certificate> certificates, Part part) {
        try {
            if (guests && part == Part.CLIENT && GuestCertificate.is(certificates)) {
                AuthenticatedChain own = GuestCertificate.judge(certificates.get(0), clock.now());
                return new AuthenticatedPeer(
                        own, Optional.of(Identity.guest(own.keyBinding())), map);
            }
            AuthenticatedChain chain = validator.validate(certificates, part, clock.now());
            Optional<Identity> identity =
                    map.find(names -> names.lookUp(chain.dn()))
                            .map(found -> found.asLimited(chain.limited()));
            return new AuthenticatedPeer(chain, identity, map);
        } catch (CertificateException e) {
            String subject =
                    certificates.isEmpty()
                            ? ""
                            : certificates.get(0).getSubjectX500Principal().getName();
            throw new FarmException(
                    ErrorKind.NOT_AUTHENTICATED,
                    "authenticate",
                    subject,
                    String.valueOf(e.getMessage()),
                    e);
        }
    }

    static List<X509Certificate> chainOf(SSLSession session) {
        try {
            List<X509Certificate> chain = new ArrayList<>();
            for (Certificate certificate : session.getPeerCertificates()) {
                chain.add((X509Certificate) certificate);
            }
            return chain;
        } catch (SSLPeerUnverifiedException e) {
            throw new FarmException(
                    ErrorKind.NOT_AUTHENTICATED,
                    "authenticate",
                    "",
                    "the peer showed no certificate",
                    e);
        }
    }
}
