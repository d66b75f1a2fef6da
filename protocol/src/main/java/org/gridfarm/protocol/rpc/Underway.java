package org.gridfarm.protocol.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * What the requests of one accepted connection take of the {@link RequestRoom} until they are
 * answered. The farm's own daemons pass on what was let in elsewhere and are not counted.
 */
final class Underway {
    /** Whoever works on what the caller has taken back ends within that, or needs little. */
    private static final long CANCELLED_SECONDS = 10;

    private final RequestRoom room;
    private final Supplier<Identity> caller;
    private final EventLoop loop;

    Underway(RequestRoom room, Supplier<Identity> caller, EventLoop loop) {
        this.room = room;
        this.caller = caller;
        this.loop = loop;
    }

    /** Before the message is read; TOO_BIG or OVERLOADED where there is no room for it. */
    Hold take(Method<?, ?> method, ByteBuf in, int at, int bytes) {
        Identity who = caller.get();
        if (Admissions.isDaemon(who)) return Hold.NOTHING;
        long weight = MessageWeight.of(method.request(), in, at, bytes, room.each());
        String name = Admissions.name(who);
        if (!room.take(name, weight)) {
            throw weight > room.each()
                    ? new FarmException(
                            ErrorKind.TOO_BIG,
                            method.name(),
                            "",
                            "it has too many parts to be read")
                    : new FarmException(
                            ErrorKind.OVERLOADED,
                            method.name(),
                            "",
                            "too much is asked for and not answered yet");
        }
        return new Hold(this, name, weight);
    }

    /** Of one request. Thread-safe. */
    static final class Hold {
        static final Hold NOTHING = new Hold(null, "", 0);

        private final @Nullable Underway of;
        private final String who;

        @GuardedBy("this")
        private long bytes;

        private Hold(@Nullable Underway of, String who, long bytes) {
            this.of = of;
            this.who = who;
            this.bytes = bytes;
        }

        /** It is answered; once more does nothing. */
        void end() {
            if (of == null) return;
            long held;
            synchronized (this) {
                held = bytes;
                bytes = 0;
            }
            if (held > 0) of.room.give(who, held);
        }

        /** Nobody waits for the answer; it may be worked on for a while. */
        void cancelled() {
            if (of == null) return;
            try {
                of.loop.schedule(this::end, CANCELLED_SECONDS, TimeUnit.SECONDS);
            } catch (RejectedExecutionException e) {
                end(); // the process ends
            }
        }
    }
}
