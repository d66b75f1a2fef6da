package org.gridfarm.scheduler.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.ByteString;

import org.gridfarm.protocol.auth.tls.AuthenticatedPeer;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.auth.x509.ProxyKey;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.Delegation;
import org.gridfarm.scheduler.queue.JobStore.KeptProxy;

import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongPredicate;

/**
 * The proxies by which tasks act for their users, and the keys that wait for one to be signed. What
 * is accepted is limited, good for no further proxy, and of the very certificate that the caller
 * showed on his connection. Thread-safe.
 */
final class Delegations {
    /** From the key to the submission; a client does both within a second. */
    static final Duration KEY_KEPT = Duration.ofMinutes(10);

    /** Of one person. */
    static final int KEYS_OF_ONE_MAX = 64;

    /** Keys of a few hundred bytes. */
    static final int KEYS_MAX = 10_000;

    /** Says of a chain who it is, or NOT_AUTHENTICATED. */
    interface Judge {
        AuthenticatedPeer judge(List<X509Certificate> chain);
    }

    private record Number(String dn, long number) {}

    private record Pending(ProxyKey key, long madeNanos) {}

    private final Judge judge;
    private final Clock clock;

    @GuardedBy("this")
    private final Map<Number, Pending> keys = new LinkedHashMap<>(); // the oldest first

    @GuardedBy("this")
    private final Map<Long, KeptProxy> byJob = new HashMap<>();

    Delegations(Judge judge, Clock clock) {
        this.judge = judge;
        this.clock = clock;
    }

    /** A request for a proxy; the same for the same number while the key is kept. */
    byte[] request(Peer caller, long number) {
        try {
            return key(new Number(caller.identity().dn(), number)).request();
        } catch (GeneralSecurityException e) {
            throw new FarmException(
                    ErrorKind.INTERNAL, "delegate", "key", String.valueOf(e.getMessage()), e);
        }
    }

    private synchronized ProxyKey key(Number wanted) throws GeneralSecurityException {
        forgetOldKeys();
        Pending known = keys.get(wanted);
        if (known != null) {
            return known.key();
        }
        long ofOne = keys.keySet().stream().filter(n -> n.dn().equals(wanted.dn())).count();
        if (ofOne >= KEYS_OF_ONE_MAX || keys.size() >= KEYS_MAX) {
            throw new FarmException(
                    ErrorKind.OVERLOADED,
                    "delegate",
                    "key",
                    ofOne + " keys of yours wait for a proxy: submit with them first");
        }
        ProxyKey made = ProxyKey.make();
        keys.put(wanted, new Pending(made, clock.nanoTime()));
        return made;
    }

    @GuardedBy("this")
    private void forgetOldKeys() {
        long now = clock.nanoTime();
        Iterator<Pending> oldest = keys.values().iterator();
        while (oldest.hasNext() && now - oldest.next().madeNanos() > KEY_KEPT.toNanos()) {
            oldest.remove();
        }
    }

    /**
     * What the caller signed.
     *
     * @throws FarmException STALE: no key of that number waits (any more), ask for another;
     *     NOT_AUTHENTICATED, ACCESS_DENIED, INVALID: not a proxy that tasks may have
     */
    KeptProxy accept(Peer caller, Delegation signed) {
        Pending pending;
        synchronized (this) {
            forgetOldKeys();
            pending = keys.get(new Number(caller.identity().dn(), signed.getNumber()));
        }
        if (pending == null) {
            throw new FarmException(
                    ErrorKind.STALE, "delegate", "proxy", "its key is not kept any more");
        }
        Credential credential = pending.key().with(chain(signed));
        AuthenticatedPeer who = judge.judge(credential.chain());
        boolean isCaller =
                who.identity().dn().equals(caller.identity().dn())
                        && who.chain().keyBinding() == caller.keyBinding();
        if (!isCaller || !who.chain().limited()) {
            throw new FarmException(
                    ErrorKind.ACCESS_DENIED,
                    "delegate",
                    who.chain().dn(),
                    "a proxy of another certificate than that of the connection");
        }
        try {
            return new KeptProxy(
                    ByteString.copyFromUtf8(credential.toPem()),
                    who.chain().notAfter().toEpochMilli());
        } catch (CertificateException e) {
            throw invalid(e);
        }
    }

    private static List<X509Certificate> chain(Delegation signed) {
        List<X509Certificate> chain = new ArrayList<>();
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            for (ByteString der : signed.getChainList()) {
                chain.add(
                        (X509Certificate)
                                factory.generateCertificate(
                                        new ByteArrayInputStream(der.toByteArray())));
            }
        } catch (CertificateException e) {
            throw invalid(e);
        }
        return chain;
    }

    private static FarmException invalid(CertificateException cause) {
        return new FarmException(
                ErrorKind.INVALID,
                "delegate",
                "proxy",
                "no certificate: " + String.valueOf(cause.getMessage()),
                cause);
    }

    synchronized void hold(long job, KeptProxy proxy) {
        byJob.put(job, proxy);
    }

    /** Empty where there is none, or none that has not run out. */
    synchronized Optional<ByteString> of(long job) {
        return Optional.ofNullable(byJob.get(job))
                .filter(proxy -> proxy.untilMillis() > clock.now().toEpochMilli())
                .map(KeptProxy::pem);
    }

    /** Forgets those of all other jobs. */
    synchronized void keepOnly(LongPredicate goesOn) {
        byJob.keySet().removeIf(job -> !goesOn.test(job));
    }

    synchronized int held() {
        return byJob.size();
    }
}
