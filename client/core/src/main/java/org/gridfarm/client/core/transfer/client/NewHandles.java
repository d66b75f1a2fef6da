package org.gridfarm.client.core.transfer.client;

import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.client.core.transfer.file.FarmFileHandle;
import org.gridfarm.client.core.transfer.file.OpenInode;
import org.gridfarm.client.core.transfer.file.Wiring;
import org.gridfarm.client.core.transfer.idle.Untold;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.OpenReply;
import org.gridfarm.protocol.wire.OpenRequest;
import org.jspecify.annotations.Nullable;

/** Where handles begin: at the leader's answer, or by a decision of this client. Thread-safe. */
record NewHandles(Wiring wiring, OpenInodes open, HandleEnds ends, Untold untold) {
    /** In the thread of who asks. */
    OpenNumbers numbers(OpenFlags flags) {
        long handle = drawn(); // first: what is numbered belongs to no request any more
        return new OpenNumbers(handle, flags.write() ? wiring.metadata().sequences().take() : 0);
    }

    /** The open is answered, or nothing was asked of the leader. */
    void over(OpenNumbers numbers) {
        if (numbers.sequence() != 0) {
            wiring.metadata().sequences().answered(numbers.sequence());
        }
    }

    /** What the leader is asked of a file that exists. */
    OpenRequest.Builder request(Credentials who, OpenFlags flags, OpenNumbers numbers) {
        OpenRequest.Builder request = request(who, flags, numbers.handle());
        if (numbers.sequence() != 0) {
            request.setSequence(numbers.sequence())
                    .setSettled(wiring.metadata().sequences().settled());
        }
        return request;
    }

    /** The same of a new file; in the thread of who asks. */
    OpenRequest.Builder request(Credentials who, OpenFlags flags) {
        return request(who, flags, drawn());
    }

    private OpenRequest.Builder request(Credentials who, OpenFlags flags, long handle) {
        return OpenRequest.newBuilder()
                .setSession(wiring.session().id())
                .setCredentials(who)
                .setRead(flags.read())
                .setWrite(flags.write())
                .setTruncate(flags.truncate())
                .setExecute(flags.execute())
                .setKeepsPrivileges(flags.keepsPrivileges())
                .setHandle(handle);
    }

    /** As the leader has answered. */
    FarmFileHandle opened(Credentials who, long id, OpenFlags flags, OpenReply reply) {
        long inode = reply.getAttributes().getInode();
        if (flags.write()) {
            wiring.attached().changes(reply.getLayout());
        }
        synchronized (open) {
            OpenInode shared = open.ofInode(inode);
            FarmFileHandle handle = new FarmFileHandle(wiring, ends, shared, id, flags, who);
            shared.opened(handle, reply);
            handle.answered(reply.getAttributes());
            return handle;
        }
    }

    /** For reading, by a decision of this client; null: the leader is to be asked. */
    @Nullable FarmFileHandle openedByOwn(
            Credentials who, long inode, OpenFlags flags, OpenNumbers numbers) {
        return wiring.metadata()
                .openedHere(
                        who,
                        inode,
                        flags.execute(),
                        now -> openedByOwn(who, now, flags, numbers.handle()));
    }

    /** Its attributes are decided here. */
    private @Nullable FarmFileHandle openedByOwn(
            Credentials who, Attributes now, OpenFlags flags, long id) {
        synchronized (open) {
            OpenInode shared = open.find(now.getInode());
            OpenReply reply =
                    shared == null || shared.handles().isEmpty()
                            ? wiring.attached().opened(now)
                            : shared.asOpened();
            if (reply == null) {
                return null;
            }
            OpenReply told = reply.toBuilder().setAttributes(now).build();
            FarmFileHandle handle = opened(who, id, flags, told);
            untold.add(handle);
            return handle;
        }
    }

    private long drawn() {
        return wiring.session().inheritance().handle(wiring.entropy().nextLong());
    }
}
