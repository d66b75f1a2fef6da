package org.gridfarm.client.cli.command;

import org.jspecify.annotations.Nullable;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * Every subcommand: its word and how its object is made. A class is loaded only when its word is
 * used.
 */
public enum Subcommand {
    LS("ls", Ls::new),
    PUT("put", Put::new),
    GET("get", Get::new),
    CAT("cat", Cat::new),
    CP("cp", Cp::new),
    MV("mv", Mv::new),
    RM("rm", Rm::new),
    MKDIR("mkdir", Mkdir::new),
    RMDIR("rmdir", Rmdir::new),
    STAT("stat", Stat::new),
    WHERE("where", Where::new),
    REP("rep", Rep::new),
    SETREP("setrep", Setrep::new),
    DF("df", Df::new),
    NODES("nodes", Nodes::new),
    NODE("node", NodeCommand::new),
    REPLICAS("replicas", Replicas::new),
    BALANCE("balance", BalanceCommand::new),
    SCRUB("scrub", Scrub::new),
    SUM("sum", Sum::new),
    SETSTRIPE("setstripe", Setstripe::new),
    GETSTRIPE("getstripe", Getstripe::new),
    STATUS("status", Status::new),
    HEALTH("health", Health::new),
    MOUNT("mount", Mount::new),
    UMOUNT("umount", Umount::new),
    WHY("why", Why::new),
    DOCTOR("doctor", Doctor::new),
    RUN("run", Run::new),
    SUBMIT("submit", Submit::new),
    JOBS("jobs", Jobs::new),
    JOB("job", JobCommand::new),
    SCHED("sched", Sched::new),
    PROXY("proxy", Proxy::new),
    CA("ca", Ca::new),
    AUTH("auth", AuthCommand::new),
    CONFIG("config", ConfigCommand::new),
    CLUSTER("cluster", ClusterCommand::new),
    DEMO("demo", Demo::new),
    BENCH("bench", BenchCommand::new),
    QUOTA("quota", QuotaCommand::new),
    META("meta", MetaCommand::new),
    FSCK("fsck", Fsck::new);

    private final String label;
    private final Supplier<Object> factory;

    Subcommand(String label, Supplier<Object> factory) {
        this.label = label;
        this.factory = factory;
    }

    public String label() {
        return label;
    }

    public Object create() {
        return factory.get();
    }

    /** Options after the first word are those of the command that it runs. */
    public boolean hasCommandOfItsOwn() {
        return this == RUN || this == SUBMIT;
    }

    public static @Nullable Subcommand named(String word) {
        for (Subcommand subcommand : values()) {
            if (subcommand.label.equals(word)) {
                return subcommand;
            }
        }
        return null;
    }

    /** The word that differs least from what was typed, if any is near. */
    public static Optional<String> nearest(String typed) {
        String best = null;
        int least = 3;
        for (Subcommand subcommand : values()) {
            int distance = distance(typed, subcommand.label);
            if (distance < least) {
                least = distance;
                best = subcommand.label;
            }
        }
        return Optional.ofNullable(best);
    }

    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int substitute = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(Math.min(row[j], row[j - 1]) + 1, substitute);
            }
        }
        return row[b.length()];
    }
}
