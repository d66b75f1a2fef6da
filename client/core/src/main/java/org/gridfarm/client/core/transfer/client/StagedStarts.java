package org.gridfarm.client.core.transfer.client;

import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.client.core.transfer.file.FarmFileHandle;
import org.gridfarm.client.core.transfer.file.Wiring;
import org.gridfarm.client.core.transfer.local.LocalReplica;
import org.gridfarm.protocol.name.StagedName;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.OpenRequest;
import org.gridfarm.protocol.wire.StagedFile;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;

/**
 * The staged files of the attached node on their way to what is opened for writing: offered to the
 * leader, opened meanwhile, and given back where it makes no file of them. Thread-safe.
 */
record StagedStarts(Wiring wiring) {
    private static final Logger log = LoggerFactory.getLogger(StagedStarts.class);

    /** What the file may be made of, if the kernel shall write it; the request says so. */
    @Nullable StagedFile offer(Credentials who, OpenRequest.Builder request, OpenFlags flags) {
        boolean wanted = flags.local() && flags.write() && wiring.attached().ground().isOpen();
        if (!wanted || !wiring.attached().descriptors().take(who.getUid())) {
            return null;
        }
        StagedFile staged = wiring.attached().staged().take();
        if (staged == null) {
            wiring.attached().descriptors().giveBack(who.getUid());
        } else {
            request.setStaged(StagedName.shown(staged.getNumber()));
        }
        return staged;
    }

    /** Null: none was offered, or it cannot be written. */
    @Nullable LocalReplica opened(Credentials who, @Nullable StagedFile staged) {
        if (staged == null) {
            return null;
        }
        try {
            wiring.attached().ground().check(staged.getPath());
            LocalReplica local = LocalReplica.staged(staged);
            local.whenClosed(() -> wiring.attached().descriptors().giveBack(who.getUid()));
            return local;
        } catch (IOException e) {
            log.debug("{} cannot be written: {}", staged.getPath(), e.getMessage());
            wiring.attached().ground().failed(e);
            wiring.attached().descriptors().giveBack(who.getUid());
            wiring.attached().staged().giveBack(staged.getNumber());
            return null;
        }
    }

    /** The file is made of it, if the metaserver has noted that. */
    FarmFileHandle begun(FarmFileHandle handle, @Nullable LocalReplica staged) {
        if (staged != null && !handle.begunWith(staged)) {
            notUsed(staged);
        }
        return handle;
    }

    /** The leader may all the same have noted that a file is made of it. */
    void notUsed(@Nullable LocalReplica staged) {
        if (staged != null) {
            wiring.attached()
                    .disk()
                    .run(() -> {
                        staged.close();
                        wiring.attached().staged().giveBack(staged.file.staged());
                    });
        }
    }
}
