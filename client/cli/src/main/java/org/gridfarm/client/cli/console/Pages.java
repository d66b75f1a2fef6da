package org.gridfarm.client.cli.console;

import com.sun.net.httpserver.HttpExchange;

import org.gridfarm.client.cli.doctor.Cure;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Finds the page, makes it, and makes it again as long as somebody looks; and does what is asked.
 */
final class Pages {
    /** Browsers that look at the same time; each costs a thread and what its page asks. */
    private static final int WATCHED_MAX = 200;

    private final Map<String, View> views;
    private final Actions actions;
    private final String farm;
    private final CountDownLatch closed;
    private final Semaphore watched = new Semaphore(WATCHED_MAX);

    Pages(Map<String, View> views, Actions actions, ClientConfig config, CountDownLatch closed) {
        this.views = views;
        this.actions = actions;
        this.closed = closed;
        this.farm =
                config.metaservers().stream()
                        .map(Object::toString)
                        .collect(Collectors.joining(" "));
    }

    void answer(HttpExchange exchange, Asked asked, Viewer viewer) throws IOException {
        boolean posts = exchange.getRequestMethod().equals("POST");
        if (posts && asked.path().equals("/act")) act(exchange, viewer);
        else if (posts) Reply.text(exchange, 405, "forms are sent to /act only");
        else if (asked.path().equals("/live")) watch(exchange, asked.text("page"), viewer);
        else if (asked.path().equals("/confirm")) confirm(exchange, asked, viewer);
        else show(exchange, asked, viewer);
    }

    private void show(HttpExchange exchange, Asked asked, Viewer viewer) throws IOException {
        View view = views.get(asked.path());
        if (view == null) {
            Reply.html(
                    exchange,
                    404,
                    Frame.page("Not found", "", farm, Parts.note("There is no such page."), null));
            return;
        }
        Reply.html(
                exchange,
                200,
                Frame.page(
                        view.title(asked),
                        asked.path(),
                        farm,
                        body(view, asked, viewer),
                        exchange.getRequestURI().toString()));
    }

    /** What the farm refuses stands where the page would. */
    private static Html body(View view, Asked asked, Viewer viewer) {
        try {
            return view.body(asked, viewer);
        } catch (FarmException e) {
            return Frame.failure(e, Cure.of(e.kind()));
        }
    }

    /** Server-sent events: the page's live part, whenever it has changed. */
    private void watch(HttpExchange exchange, String page, Viewer viewer) throws IOException {
        Optional<Asked> asked = address(page);
        View view = asked.map(Asked::path).map(views::get).orElse(null);
        if (asked.isEmpty() || view == null) {
            Reply.text(exchange, 404, "no such page");
            return;
        }
        if (!watched.tryAcquire()) {
            Reply.text(exchange, 503, "too many look at the same time");
            return;
        }
        try {
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream; charset=utf-8");
            exchange.sendResponseHeaders(200, 0);
            send(exchange.getResponseBody(), view, asked.get(), viewer);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            watched.release();
        }
    }

    private static Optional<Asked> address(String page) {
        try {
            return Optional.of(Asked.of(URI.create(page)));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Until the browser is gone, which writing to it tells, or the console ends. */
    private void send(OutputStream out, View view, Asked asked, Viewer viewer)
            throws IOException, InterruptedException {
        String last = "";
        do {
            String now = body(view, asked, viewer).toString();
            String event =
                    now.equals(last)
                            ? ": the same\n\n"
                            : "data: " + now.replace("\n", "\ndata: ") + "\n\n";
            out.write(event.getBytes(StandardCharsets.UTF_8));
            out.flush();
            last = now;
        } while (!closed.await(view.every().toMillis(), TimeUnit.MILLISECONDS));
    }

    private void confirm(HttpExchange exchange, Asked asked, Viewer viewer) throws IOException {
        Html body;
        try {
            requireActions(viewer);
            String act = asked.text("act");
            String what = asked.text("what");
            body =
                    Frame.confirm(
                            actions.question(act, what),
                            act,
                            what,
                            viewer,
                            Actions.page(act, what));
        } catch (FarmException e) {
            body = Frame.failure(e, "");
        }
        Reply.html(exchange, 200, Frame.page("Are you sure?", "", farm, body, null));
    }

    private static void requireActions(Viewer viewer) {
        if (!viewer.mayAct()) {
            throw new FarmException(
                    ErrorKind.NOT_PERMITTED,
                    "console",
                    "",
                    "it only shows: gf console --actions lets it act");
        }
    }

    private void act(HttpExchange exchange, Viewer viewer) throws IOException {
        Map<String, String> form = Asked.decoded(Reply.form(exchange));
        String act = form.getOrDefault("act", "");
        String what = form.getOrDefault("what", "");
        try {
            requireActions(viewer);
            if (!Admission.isOwnForm(viewer, form.get("form"))) {
                throw new FarmException(
                        ErrorKind.NOT_PERMITTED,
                        "console",
                        act,
                        "the form is not of this visit; go back and try again");
            }
            actions.perform(act, what);
            Audit.done(viewer.name(), exchange, act, what);
            Reply.redirect(exchange, Actions.page(act, what));
        } catch (FarmException e) {
            Audit.refused(viewer.name(), exchange, act, String.valueOf(e.getMessage()));
            Html body = Frame.failure(e, "");
            int status = e.kind() == ErrorKind.NOT_PERMITTED ? 403 : 422;
            Reply.html(exchange, status, Frame.page("Not done", "", farm, body, null));
        }
    }
}
