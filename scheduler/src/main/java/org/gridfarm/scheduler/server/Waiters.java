package org.gridfarm.scheduler.server;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.wire.TaskInfo;
import org.gridfarm.protocol.wire.WaitJobReply;
import org.gridfarm.protocol.wire.WaitJobRequest;
import org.gridfarm.scheduler.job.Job;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Executor;

/** Clients that wait for news of a job. Owned by the event thread. */
final class Waiters {
    /** Goes on, on the event thread, when a job that may have been forgotten is in memory again. */
    interface Recall {
        void then(Exchange<?, ?> exchange, long job, Runnable work);
    }

    private record Waiting(Exchange<WaitJobRequest, WaitJobReply> exchange, long untilNanos) {}

    private final Dispatcher dispatcher;
    private final Executor events;
    private final Clock clock;
    private final Recall recall;
    private final List<Waiting> waiting = new ArrayList<>();

    Waiters(Dispatcher dispatcher, Executor events, Clock clock, Recall recall) {
        this.dispatcher = dispatcher;
        this.events = events;
        this.clock = clock;
        this.recall = recall;
        dispatcher.onChange(this::answerWaiting);
    }

    /** Answers at once if there is news already. */
    void park(Exchange<WaitJobRequest, WaitJobReply> exchange) {
        WaitJobRequest request = exchange.request();
        Job job = dispatcher.require(request.getJob());
        long most = Math.min(request.getWaitMillis(), Limits.WAIT_MAX.toMillis());
        if (job.change() > request.getChange()
                || job.told().size() > request.getFromFinished()
                || most == 0) {
            exchange.reply(progress(exchange));
            return;
        }
        Waiting one = new Waiting(exchange, clock.nanoTime() + most * 1_000_000);
        waiting.add(one);
        clock.after(Duration.ofMillis(most), () -> events.execute(this::answerWaiting));
    }

    int count() {
        return waiting.size();
    }

    private void answerWaiting() {
        long now = clock.nanoTime();
        for (Iterator<Waiting> i = waiting.iterator(); i.hasNext(); ) {
            Waiting one = i.next();
            if (now >= one.untilNanos() || one.exchange().isCancelled() || hasNews(one)) {
                i.remove();
                answer(one.exchange());
            }
        }
    }

    private void answer(Exchange<WaitJobRequest, WaitJobReply> exchange) {
        JobService.guard(
                exchange,
                () ->
                        recall.then(
                                exchange,
                                exchange.request().getJob(),
                                () -> exchange.reply(progress(exchange))));
    }

    /** That a job was forgotten meanwhile is news, too: it has ended. */
    private boolean hasNews(Waiting one) {
        WaitJobRequest request = one.exchange().request();
        return dispatcher
                .find(request.getJob())
                .map(job ->
                        job.change() > request.getChange()
                                || job.told().size() > request.getFromFinished())
                .orElse(true);
    }

    private WaitJobReply progress(Exchange<WaitJobRequest, WaitJobReply> exchange) {
        WaitJobRequest request = exchange.request();
        Job job = dispatcher.require(request.getJob());
        JobView view = new JobView(exchange.peer().identity(), job, dispatcher.info(job));
        int from = Math.min(request.getFromFinished(), job.told().size());
        int to = Math.min(job.told().size(), from + JobService.TASKS_PER_PAGE);
        List<TaskInfo> page = view.tasks(job.told().subList(from, to), request.getWithOutput());
        return WaitJobReply.newBuilder()
                .setJob(view.job())
                .addAllFinished(page)
                .setNextFinished(from + page.size())
                .build();
    }
}
