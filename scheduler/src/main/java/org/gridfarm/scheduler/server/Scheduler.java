package org.gridfarm.scheduler.server;

import org.gridfarm.protocol.api.DaemonMethods;
import org.gridfarm.protocol.api.SchedulerMethods;
import org.gridfarm.protocol.auth.tls.AuthenticatedPeer;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.observe.Traffic;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Services;
import org.gridfarm.scheduler.job.Job;
import org.gridfarm.scheduler.queue.JobStore;
import org.gridfarm.scheduler.queue.Shares;
import org.gridfarm.scheduler.worker.Farm;
import org.gridfarm.scheduler.worker.Runner;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Stands by, answering NOT_LEADER, until it is told to lead; then reads the table and goes on where
 * the last one was.
 */
public final class Scheduler implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Scheduler.class);

    private static final double MILLIS = 1e3;

    private final JobStore store;
    private final Farm farm;
    private final Runner runner;
    private final Clock clock;
    private final JobMeters meters;
    private final Duration keepJobs;
    private final Consumer<FarmException> deposed;
    private final Delegations.Judge judge;
    private final ExecutorService events =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().name("gf-jobs").daemon().factory());
    private final ExecutorService blocking =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().name("gf-submit").daemon().factory());
    private volatile @Nullable JobService leading;
    private volatile @Nullable Recorder recorder;
    private volatile Optional<String> problem = Optional.empty();

    public Scheduler(
            JobStore store,
            Farm farm,
            Runner runner,
            Clock clock,
            JobMeters meters,
            Duration keepJobs,
            Function<List<X509Certificate>, AuthenticatedPeer> judge,
            Consumer<FarmException> deposed) {
        this.store = store;
        this.farm = farm;
        this.runner = runner;
        this.clock = clock;
        this.meters = meters;
        this.keepJobs = keepJobs;
        this.judge = judge::apply;
        this.deposed = deposed;
    }

    /** Takes the table over. May be called from any thread. */
    public void lead(String name) {
        blocking.execute(() -> {
            try {
                long epoch = store.takeOver(name);
                List<Job> jobs = store.load(Limits.DONE_JOBS_KEPT, JobRoom.ofThisProcess().done());
                Recorder writing =
                        new Recorder(
                                (rows, states) -> {
                                    store.record(epoch, rows, states);
                                    meters.written(rows);
                                },
                                deposed);
                recorder = writing;
                Accounts accounts = new HostAccounts();
                Delegations delegations = new Delegations(judge, clock);
                store.proxies().forEach(delegations::hold);
                DelegatedRunner delegated = new DelegatedRunner(runner, delegations);
                Dispatcher dispatcher =
                        new Dispatcher(
                                farm,
                                delegated,
                                writing,
                                clock,
                                events,
                                accounts,
                                JobRoom.ofThisProcess(),
                                this::end);
                JobService service =
                        new JobService(
                                dispatcher,
                                store,
                                epoch,
                                accounts,
                                events,
                                blocking,
                                clock,
                                delegations,
                                delegated);
                Shares shares = store.shares();
                double age = (clock.now().toEpochMilli() - shares.asOfMillis()) / MILLIS;
                events.execute(() -> {
                    dispatcher.restoreShares(shares.used(), age);
                    dispatcher.begin(jobs);
                    dispatcher.onChange(() ->
                            delegations.keepOnly(id ->
                                    dispatcher.find(id).filter(job -> !job.isDone()).isPresent()));
                });
                keepShares(dispatcher, epoch, shares);
                events.execute(() -> showFigures(dispatcher));
                if (!keepJobs.isZero()) {
                    blocking.execute(() -> removeOldJobs(epoch));
                }
                leading = service;
                log.info("leading, epoch {}, {} jobs read", epoch, jobs.size());
            } catch (RuntimeException e) {
                FarmException reason = FarmException.of(e, "lead", name);
                problem = Optional.of(reason.getMessage());
                deposed.accept(reason);
            }
        });
    }

    /** As the table has it. */
    private CompletableFuture<Optional<String>> end(long job) {
        return CompletableFuture.supplyAsync(
                () -> store.job(job).filter(Job::isDone).map(Job::state), blocking);
    }

    /** Again and again, on the thread that may wait for the database. */
    private void removeOldJobs(long epoch) {
        Duration next = Limits.OLD_JOBS_LOOKED_FOR;
        try {
            int removed = store.removeEnded(epoch, keepJobs);
            if (removed > 0) {
                log.info("{} jobs that ended more than {} ago are removed", removed, keepJobs);
                next = Duration.ZERO; // there may be more
            }
        } catch (FarmException e) {
            if (e.kind() == ErrorKind.NOT_LEADER) {
                return; // whoever leads now goes on with it
            }
            log.warn("old jobs: {}", e.getMessage());
        }
        clock.after(next, () -> blocking.execute(() -> removeOldJobs(epoch)));
    }

    /** Once in a second. */
    private void showFigures(Dispatcher dispatcher) {
        meters.now(dispatcher.figures());
        clock.after(Limits.FIGURES_EVERY, () -> events.execute(() -> showFigures(dispatcher)));
    }

    /** Again and again; what a database that is away does not take goes with the next. */
    private void keepShares(Dispatcher dispatcher, long epoch, Shares before) {
        clock.after(
                Limits.SHARES_EVERY,
                () ->
                        events.execute(() -> {
                            Shares now =
                                    new Shares(dispatcher.shares(), clock.now().toEpochMilli());
                            blocking.execute(() -> {
                                try {
                                    if (!now.used().isEmpty() || !before.used().isEmpty()) {
                                        store.keepShares(epoch, now);
                                    }
                                } catch (FarmException e) {
                                    if (e.kind() == ErrorKind.NOT_LEADER) {
                                        deposed.accept(e);
                                        return;
                                    }
                                    log.warn("shares of users: {}", e.getMessage());
                                }
                                keepShares(dispatcher, epoch, now);
                            });
                        }));
    }

    /** Why it is not ready, for /readyz; a scheduler that stands by is ready. */
    public Optional<String> problem() {
        return problem;
    }

    /**
     * @param traffic of the clients of this process
     */
    public Services services(Traffic traffic) {
        return Services.builder()
                .answer(DaemonMethods.TRAFFIC, _ -> traffic.reply())
                .on(
                        SchedulerMethods.SUBMIT,
                        exchange -> with(exchange, service -> service.submit(exchange)))
                .on(
                        SchedulerMethods.JOB,
                        exchange -> with(exchange, service -> service.job(exchange)))
                .on(
                        SchedulerMethods.LIST,
                        exchange -> with(exchange, service -> service.list(exchange)))
                .on(
                        SchedulerMethods.CANCEL,
                        exchange -> with(exchange, service -> service.cancel(exchange)))
                .on(
                        SchedulerMethods.WAIT,
                        exchange -> with(exchange, service -> service.await(exchange)))
                .on(
                        SchedulerMethods.RETRY,
                        exchange -> with(exchange, service -> service.retry(exchange)))
                .on(
                        SchedulerMethods.HOLD,
                        exchange -> with(exchange, service -> service.hold(exchange)))
                .on(
                        SchedulerMethods.WHY,
                        exchange -> with(exchange, service -> service.why(exchange)))
                .on(
                        SchedulerMethods.USAGE,
                        exchange -> with(exchange, service -> service.usage(exchange)))
                .on(
                        SchedulerMethods.ACCOUNTS,
                        exchange -> with(exchange, service -> service.accounts(exchange)))
                .on(
                        SchedulerMethods.DELEGATION_KEY,
                        exchange -> with(exchange, service -> service.delegationKey(exchange)))
                .on(
                        SchedulerMethods.RENEW_DELEGATION,
                        exchange -> with(exchange, service -> service.renew(exchange)))
                .on(
                        SchedulerMethods.INPUT,
                        exchange -> with(exchange, service -> service.input(exchange)))
                .on(
                        SchedulerMethods.OUTPUT,
                        exchange -> with(exchange, service -> service.output(exchange)))
                .build();
    }

    private void with(Exchange<?, ?> exchange, Consumer<JobService> call) {
        JobService service = leading;
        if (service == null) {
            exchange.fail(
                    new FarmException(
                            ErrorKind.NOT_LEADER,
                            exchange.method().name(),
                            "",
                            "this scheduler stands by"));
        } else {
            call.accept(service);
        }
    }

    @Override
    public void close() {
        Recorder writing = recorder;
        if (writing != null) {
            writing.close();
        }
        events.shutdownNow();
        blocking.shutdownNow();
    }
}
