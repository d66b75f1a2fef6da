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
    /** What the leader is asked. */
    OpenRequest.Builder request(Credentials who, OpenFlags flags) {
        return OpenRequest.newBuilder()
                .setSession(wiring.session().id())
                .setCredentials(who)
                .setRead(flags.read())
                .setWrite(flags.write())
                .setTruncate(flags.truncate())
                .setExecute(flags.execute())
                .setKeepsPrivileges(flags.keepsPrivileges())
                .setHandle(drawn());
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
    @Nullable FarmFileHandle openedByOwn(Credentials who, long inode, OpenFlags flags) {
        return wiring.metadata()
                .openedHere(who, inode, flags.execute(), now -> openedByOwn(who, now, flags));
    }

    /** Its attributes are decided here. */
    private @Nullable FarmFileHandle openedByOwn(Credentials who, Attributes now, OpenFlags flags) {
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
            FarmFileHandle handle = opened(who, drawn(), flags, told);
            untold.add(handle);
            return handle;
        }
    }

    private long drawn() {
        return wiring.session().inheritance().handle(wiring.entropy().nextLong());
    }
}
