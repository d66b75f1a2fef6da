package org.gridfarm.client.mount;

import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.mount.fuse.linux.FileClock;
import org.gridfarm.client.mount.own.OwnDirectories;
import org.gridfarm.client.mount.own.Wish;
import org.gridfarm.client.mount.takeover.Ledger;
import org.gridfarm.client.mount.takeover.Numbers;
import org.gridfarm.client.mount.takeover.Supervisor;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.FarmException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What the mount before this one, at the same place, had answered its programs and not told the
 * metaserver when all its processes died at once. It is told now, in that mount's session, as long
 * as this lasts: some seconds.
 */
final class LeftDecisions {
    private static final Logger log = LoggerFactory.getLogger(LeftDecisions.class);
    private static final Duration WITHIN = Duration.ofSeconds(10);

    private LeftDecisions() {}

    /**
     * Returns when it is told, or cannot be.
     *
     * @param ledger of this mount
     */
    static void tell(Path ledger, ClientConfig config) throws IOException, InterruptedException {
        Path left = Supervisor.left(ledger);
        Path decisions = Supervisor.decisions(left);
        if (!Files.exists(left) || !Files.exists(decisions)) return;
        try (Ledger former = Ledger.openLeft(left)) {
            if (former == null) return; // it lives, and tells by itself
            former.processBegins();
            if (former.session() != 0) tell(former, decisions, config);
        }
        Files.deleteIfExists(decisions);
        Files.deleteIfExists(left);
    }

    private static void tell(Ledger former, Path decisions, ClientConfig config)
            throws IOException, InterruptedException {
        try (OwnDirectories own =
                new OwnDirectories(
                        Clock.system(),
                        FileClock::now,
                        config.node(),
                        decisions,
                        Wish.NONE,
                        true)) {
            int count = own.figures().waiting();
            if (count == 0) return;
            try (Gridfarm farm = Gridfarm.open(config, "mount before", Numbers.of(former), own)) {
                farm.resume().get(WITHIN.toSeconds(), TimeUnit.SECONDS);
                farm.metadata().durable().get(WITHIN.toSeconds(), TimeUnit.SECONDS);
                log.info(
                        "{} changes that the mount before had answered are told, {} are lost",
                        count - own.figures().lost(),
                        own.figures().lost());
            } catch (ExecutionException | TimeoutException | FarmException e) {
                log.warn(
                        "{} changes that the mount before had answered are lost: {}",
                        own.figures().waiting() + own.figures().lost(),
                        e.getMessage());
            }
        }
    }
}
