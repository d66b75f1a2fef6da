package org.gridfarm.metaserver.server.admin;

import com.google.protobuf.ByteString;

import org.gridfarm.metaserver.replica.FileChanges;
import org.gridfarm.metaserver.server.files.FileOpens;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.namespace.Finding;
import org.gridfarm.namespace.Namespace;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.wire.AdminReply;
import org.gridfarm.protocol.wire.AdminRequest;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.MakeDirectory;
import org.gridfarm.protocol.wire.MutateRequest;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code gf fsck} at the leader: the namespace's invariants, replica rows and the count of quotas
 * against inodes; and mending, which is a change like any other, so that journal, tables and caches
 * have it as well. A walk holds up everybody for about a second per million inodes. Event thread.
 */
public final class CheckService {
    private static final Logger log = LoggerFactory.getLogger(CheckService.class);
    private static final Credentials SUPERUSER = Credentials.getDefaultInstance();

    /** Told of one walk; there may be more. */
    private static final int FINDINGS_MAX = 1000;

    /** Mending one thing shows or causes another: a directory that is found again has children. */
    private static final int PASSES_MAX = 20;

    private final FarmState state;
    private final FileOpens opens;
    private final LeaderContext leader;

    public CheckService(FarmState state, FileOpens opens, LeaderContext leader) {
        this.state = state;
        this.opens = opens;
        this.leader = leader;
    }

    public void register(AdminService admin) {
        admin.on("fsck", this::check);
    }

    private void check(Exchange<AdminRequest, AdminReply> exchange) {
        boolean repair = exchange.request().containsArguments("repair");
        List<Finding> first = findings();
        List<Finding> left = first;
        for (int pass = 0; repair && pass < PASSES_MAX && !left.isEmpty(); pass++) {
            mend(left);
            left = findings();
        }
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("inodes", state.inodes());
        document.put("problems", first.stream().map(Finding::what).toList());
        document.put("repaired", repair && left.isEmpty());
        document.put("left", left.stream().map(Finding::what).toList());
        AdminReply reply = AdminService.reply(document);
        leader.afterAllSoFar(() -> exchange.reply(reply));
    }

    private List<Finding> findings() {
        List<Finding> found = new ArrayList<>(state.namespace().findings(FINDINGS_MAX));
        for (String node : state.nodes().names()) strayRows(node, found);
        for (long inode : state.orphans()) {
            if (!opens.files().isOpen(inode) && !leader.inGrace()) {
                found.add(
                        new Finding(
                                "inode "
                                        + Long.toHexString(inode)
                                        + " has no name and nobody has it open",
                                List.of(Change.newBuilder().setOrphan(inode).build())));
            }
        }
        state.quotas()
                .miscounted(state.namespace())
                .forEach((subject, both) ->
                        found.add(
                                new Finding(
                                        "usage of "
                                                + subject
                                                + " is counted as "
                                                + both.get(0)
                                                + ", not "
                                                + both.get(1),
                                        List.of())));
        return found.size() <= FINDINGS_MAX ? found : found.subList(0, FINDINGS_MAX);
    }

    private void strayRows(String node, List<Finding> found) {
        for (ReplicaImage row : state.heldBy(node)) {
            if (found.size() >= FINDINGS_MAX) return;
            if (!state.exists(row.getInode())) {
                found.add(
                        new Finding(
                                "a replica row at "
                                        + node
                                        + " names inode "
                                        + Long.toHexString(row.getInode())
                                        + ", which does not exist",
                                List.of(FileChanges.gone(row))));
            }
        }
    }

    private void mend(List<Finding> findings) {
        for (Finding finding : findings) {
            log.warn("fsck: {}", finding.what());
            for (Change change : finding.mend()) {
                if (change.hasOrphan()) opens.reapIfOrphan(change.getOrphan());
                else leader.change(List.of(change), 0);
            }
        }
        if (findings.stream().anyMatch(Finding::homeless)) makeShelter();
        state.quotas().recount(state.namespace());
    }

    private void makeShelter() {
        ByteString name = ByteString.copyFromUtf8(Namespace.LOST_AND_FOUND);
        if (state.namespace().peek(Namespace.ROOT, name) != 0) return;
        MutateRequest request =
                MutateRequest.newBuilder()
                        .setMkdir(
                                MakeDirectory.newBuilder()
                                        .setParent(Namespace.ROOT)
                                        .setName(name)
                                        .setMode(0700))
                        .build();
        leader.change(state.decide(request, SUPERUSER, opens.files()).changes(), 0);
    }
}
