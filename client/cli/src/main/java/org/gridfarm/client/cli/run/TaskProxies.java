package org.gridfarm.client.cli.run;

import com.google.protobuf.ByteString;

import org.gridfarm.client.cli.Failures;
import org.gridfarm.client.cli.SchedulerLine;
import org.gridfarm.protocol.api.SchedulerMethods;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.auth.x509.ProxyKey;
import org.gridfarm.protocol.auth.x509.ProxyMaker;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Delegation;
import org.gridfarm.protocol.wire.DelegationKeyRequest;
import org.gridfarm.protocol.wire.RenewDelegationRequest;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Lets the tasks of a job act for who submits it: signs a limited proxy, good for no further one,
 * for a key that the scheduler made. For one thread.
 */
public final class TaskProxies {
    /** As grid tools have it. */
    public static final Duration LIFE_DEFAULT = ProxyMaker.LIFETIME_DEFAULT;

    /** What is longer by that is worth the call; of short ones a quarter. */
    private static final Duration GAIN_MIN = Duration.ofMinutes(1);

    private static final Duration LOOK_MAX = Duration.ofMinutes(5);

    private final Supplier<Credential> credential;
    private final Duration life;
    private Instant until = Instant.MAX;

    /**
     * @param credential read anew each time: its owner may have renewed it
     * @param life of the proxy, unless the credential ends before; zero: tasks get none
     */
    public TaskProxies(Supplier<Credential> credential, Duration life) {
        this.credential = credential;
        this.life = life;
    }

    /**
     * Submits with a proxy, or with none where none can be given, which is said once; a key that
     * the scheduler has lost meanwhile (another one leads, say) is asked for again.
     */
    public <T> T submit(SchedulerLine scheduler, Function<Optional<Delegation>, T> submit) {
        Optional<Delegation> signed = sign(scheduler);
        try {
            return submit.apply(signed);
        } catch (FarmException e) {
            if (signed.isEmpty() || e.kind() != ErrorKind.STALE) {
                throw e;
            }
            return submit.apply(sign(scheduler));
        }
    }

    private Optional<Delegation> sign(SchedulerLine scheduler) {
        if (life.isZero()) {
            return Optional.empty();
        }
        try {
            Credential mine = credential.get();
            if (mine.isLimited()) {
                return Optional.empty(); // the submission will be refused, and says so better
            }
            if (mine.mayNotDelegate()) {
                System.err.println(
                        "gf: the tasks cannot act for you: your proxy may not make further ones (path length 0)");
                return Optional.empty();
            }
            return Optional.of(signed(scheduler, mine));
        } catch (GeneralSecurityException e) {
            throw new FarmException(
                    ErrorKind.INVALID, "delegate", "proxy", String.valueOf(e.getMessage()), e);
        }
    }

    private Delegation signed(SchedulerLine scheduler, Credential mine)
            throws GeneralSecurityException {
        long number = new SecureRandom().nextLong();
        byte[] request =
                scheduler
                        .call(
                                SchedulerMethods.DELEGATION_KEY,
                                DelegationKeyRequest.newBuilder().setNumber(number).build())
                        .getRequest()
                        .toByteArray();
        List<X509Certificate> chain =
                ProxyMaker.sign(
                        mine,
                        ProxyKey.in(request),
                        ProxyMaker.Options.usual().asLimited().withPathLength(0).withLifetime(life),
                        Instant.now());
        until = chain.get(0).getNotAfter().toInstant();
        Delegation.Builder delegation = Delegation.newBuilder().setNumber(number);
        for (X509Certificate certificate : chain) {
            delegation.addChain(ByteString.copyFrom(certificate.getEncoded()));
        }
        return delegation.build();
    }

    /** Renews the job's proxy before it runs out, until it is closed. */
    public Renewal whileAttached(Supplier<SchedulerLine> lines, long job) {
        Renewal renewal = new Renewal(lines, job);
        if (until != Instant.MAX) {
            Thread.ofVirtual().name("renewal").start(renewal::run);
        }
        return renewal;
    }

    /** Ends with {@link #close}. */
    public final class Renewal implements AutoCloseable {
        private final Supplier<SchedulerLine> lines;
        private final long job;
        private final CountDownLatch closed = new CountDownLatch(1);
        private String said = "";

        private Renewal(Supplier<SchedulerLine> lines, long job) {
            this.lines = lines;
            this.job = job;
        }

        private void run() {
            try {
                while (!closed.await(pause().toMillis(), TimeUnit.MILLISECONDS)) {
                    renew();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private Duration pause() {
            Duration half = Duration.between(Instant.now(), until).dividedBy(2);
            Duration most = half.compareTo(LOOK_MAX) < 0 ? half : LOOK_MAX;
            return most.compareTo(Duration.ofSeconds(1)) < 0 ? Duration.ofSeconds(1) : most;
        }

        /** When half of its life is over, if there is something to win. */
        private void renew() {
            Instant now = Instant.now();
            try {
                boolean isDue = Duration.between(now, until).compareTo(life.dividedBy(2)) < 0;
                if (isDue && possible(now).isAfter(until.plus(gain()))) {
                    SchedulerLine scheduler = lines.get();
                    sign(scheduler)
                            .ifPresent(fresh ->
                                    scheduler.call(
                                            SchedulerMethods.RENEW_DELEGATION,
                                            RenewDelegationRequest.newBuilder()
                                                    .setJob(job)
                                                    .setDelegation(fresh)
                                                    .build()));
                }
            } catch (RuntimeException e) {
                tell(e);
            }
        }

        private Duration gain() {
            Duration quarter = life.dividedBy(4);
            return quarter.compareTo(GAIN_MIN) < 0 ? quarter : GAIN_MIN;
        }

        private Instant possible(Instant now) {
            Instant ends = credential.get().notAfter();
            Instant asked = now.plus(life);
            return ends.isBefore(asked) ? ends : asked;
        }

        /** Once for each reason: it is tried again. */
        private void tell(RuntimeException failure) {
            String why = String.valueOf(failure.getMessage());
            if (!why.equals(said)) {
                said = why;
                System.err.println("gf: the proxy of job " + job + " is not renewed:");
                Failures.report(failure);
            }
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }
}
