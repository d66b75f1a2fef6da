package org.gridfarm.client.cli.command;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Every subcommand: its word and how its object is made. A class is loaded only when its word is
 * used.
 */
public enum Subcommand {
    LS(Group.FILES, "ls", Ls::new),
    PUT(Group.FILES, "put", Put::new),
    GET(Group.FILES, "get", Get::new),
    CP(Group.FILES, "cp", Cp::new),
    SYNC(Group.FILES, "sync", Sync::new),
    MV(Group.FILES, "mv", Mv::new),
    RM(Group.FILES, "rm", Rm::new),
    MKDIR(Group.FILES, "mkdir", Mkdir::new),
    RMDIR(Group.FILES, "rmdir", Rmdir::new),
    LN(Group.FILES, "ln", Ln::new),
    TOUCH(Group.FILES, "touch", Touch::new),
    CAT(Group.FILES, "cat", Cat::new),
    HEAD(Group.FILES, "head", Head::new),
    TAIL(Group.FILES, "tail", Tail::new),
    FIND(Group.FILES, "find", Find::new),
    DU(Group.FILES, "du", Du::new),
    TREE(Group.FILES, "tree", TreeCommand::new),
    STAT(Group.FILES, "stat", Stat::new),
    CHMOD(Group.RIGHTS, "chmod", Chmod::new),
    CHOWN(Group.RIGHTS, "chown", Chown::new),
    CHGRP(Group.RIGHTS, "chgrp", Chgrp::new),
    GETFACL(Group.RIGHTS, "getfacl", Getfacl::new),
    SETFACL(Group.RIGHTS, "setfacl", Setfacl::new),
    GETFATTR(Group.RIGHTS, "getfattr", Getfattr::new),
    SETFATTR(Group.RIGHTS, "setfattr", Setfattr::new),
    WHOAMI(Group.RIGHTS, "whoami", Whoami::new),
    PROXY(Group.RIGHTS, "proxy", Proxy::new),
    AUTH(Group.RIGHTS, "auth", AuthCommand::new),
    QUOTA(Group.RIGHTS, "quota", QuotaCommand::new),
    WHERE(Group.COPIES, "where", Where::new),
    SETREP(Group.COPIES, "setrep", Setrep::new),
    REP(Group.COPIES, "rep", Rep::new),
    REPLICAS(Group.COPIES, "replicas", Replicas::new),
    SETSTRIPE(Group.COPIES, "setstripe", Setstripe::new),
    GETSTRIPE(Group.COPIES, "getstripe", Getstripe::new),
    SUM(Group.COPIES, "sum", Sum::new),
    WHY(Group.COPIES, "why", Why::new),
    RUN(Group.JOBS, "run", Run::new),
    SUBMIT(Group.JOBS, "submit", Submit::new),
    JOBS(Group.JOBS, "jobs", Jobs::new),
    JOB(Group.JOBS, "job", JobCommand::new),
    SCHED(Group.JOBS, "sched", Sched::new),
    STATUS(Group.FARM, "status", Status::new),
    HEALTH(Group.FARM, "health", Health::new),
    CLIENTS(Group.FARM, "clients", Clients::new),
    DELEGATIONS(Group.FARM, "delegations", Delegations::new),
    TOP(Group.FARM, "top", Top::new),
    SLOW(Group.FARM, "slow", SlowRequests::new),
    CONSOLE(Group.FARM, "console", Console::new),
    GATEWAY(Group.FARM, "gateway", GatewayCommand::new),
    S3(Group.FARM, "s3", S3Command::new),
    DF(Group.FARM, "df", Df::new),
    NODES(Group.FARM, "nodes", Nodes::new),
    NODE(Group.FARM, "node", NodeCommand::new),
    BALANCE(Group.FARM, "balance", BalanceCommand::new),
    SCRUB(Group.FARM, "scrub", Scrub::new),
    FSCK(Group.FARM, "fsck", Fsck::new),
    META(Group.FARM, "meta", MetaCommand::new),
    USAGE(Group.FARM, "usage", UsageCommand::new),
    CA(Group.FARM, "ca", Ca::new),
    KEY(Group.FARM, "key", KeyCommand::new),
    CONFIG(Group.FARM, "config", ConfigCommand::new),
    DOCTOR(Group.FARM, "doctor", Doctor::new),
    SUPPORT_BUNDLE(Group.FARM, "support-bundle", SupportBundle::new),
    BATCH(Group.HOST, "batch", Batch::new),
    SETUP(Group.HOST, "setup", SetupCommand::new),
    MOUNT(Group.HOST, "mount", Mount::new),
    UMOUNT(Group.HOST, "umount", Umount::new),
    CLUSTER(Group.HOST, "cluster", ClusterCommand::new),
    DEMO(Group.HOST, "demo", Demo::new),
    BENCH(Group.HOST, "bench", BenchCommand::new);

    /** What the commands are for; help shows them so. */
    public enum Group {
        FILES("Files and directories"),
        RIGHTS("Who may do what"),
        COPIES("Where data are kept"),
        JOBS("Jobs"),
        FARM("The farm and its nodes"),
        HOST("This machine");

        private final String title;

        Group(String title) {
            this.title = title;
        }

        public String title() {
            return title;
        }
    }

    private final Group group;
    private final String label;
    private final Supplier<Object> factory;

    Subcommand(Group group, String label, Supplier<Object> factory) {
        this.group = group;
        this.label = label;
        this.factory = factory;
    }

    public String label() {
        return label;
    }

    public Group group() {
        return group;
    }

    public Object create() {
        return factory.get();
    }

    /** Options after the first word are those of the command that it runs. */
    public boolean hasCommandOfItsOwn() {
        return this == RUN || this == SUBMIT || this == FIND;
    }

    /**
     * What looks like an option and is none may be an operand: {@code -5}, {@code -name}, {@code
     * -w}.
     */
    public boolean hasDashedOperands() {
        return this == FIND || this == HEAD || this == TAIL || this == CHMOD;
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
        Stream<String> words = Arrays.stream(values()).map(Subcommand::label);
        return Nearest.of(typed, Stream.concat(words, Stream.of("help", "version")).toList());
    }
}
