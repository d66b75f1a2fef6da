package org.gridfarm.client.cli.run;

import org.gridfarm.protocol.error.Exit;

import sun.misc.Signal;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What ^C does while a job is followed: the first one cancels the job, which is still followed to
 * its end; the second one leaves it as it is. SIGTERM and SIGHUP cancel it and leave.
 */
public final class Interrupt {
    private final Runnable cancel;
    private final AtomicBoolean asked = new AtomicBoolean();

    private Interrupt(Runnable cancel) {
        this.cancel = cancel;
    }

    /** From now on; a job that was cancelled makes the command's exit status 130. */
    public static Interrupt cancels(long job, Runnable cancel) {
        return cancels("job " + job, cancel);
    }

    public static Interrupt cancels(String what, Runnable cancel) {
        Interrupt interrupt = new Interrupt(cancel);
        Signal.handle(new Signal("INT"), _ -> interrupt.first(what));
        for (String name : new String[] {"TERM", "HUP"}) {
            Signal.handle(new Signal(name), signal -> interrupt.leave(signal.getNumber()));
        }
        return interrupt;
    }

    public boolean isAsked() {
        return asked.get();
    }

    private void first(String what) {
        if (asked.getAndSet(true)) {
            Runtime.getRuntime().halt(Exit.INTERRUPTED.code());
        }
        System.err.println("gf: cancelling " + what + "; once more to leave at once");
        cancel.run();
    }

    private void leave(int signal) {
        asked.set(true);
        try {
            cancel.run();
        } finally {
            Runtime.getRuntime().halt(128 + signal);
        }
    }
}
