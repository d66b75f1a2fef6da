package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.SchedulerLine;
import org.gridfarm.client.cli.usage.Accounts;
import org.gridfarm.client.cli.usage.Quantity;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.nio.FarmPrincipals;
import org.gridfarm.protocol.api.SchedulerMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.JobInfo;
import org.gridfarm.protocol.wire.ListJobsRequest;
import org.gridfarm.protocol.wire.UsageRequest;
import org.gridfarm.protocol.wire.UsageRow;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.JsonNode;

import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "usage",
        header = "Shows what users, groups, trees and jobs use of the farm.",
        description = {
            "",
            "Files and bytes are what there is now; tasks, slot hours, hours of processors and bytes of input are of the tasks that ended on the days"
                    + " asked for (UTC). A slot hour is a slot of a node for an hour. An administrator sees everybody, others see themselves.",
            "",
            "Examples:",
            "  gf usage",
            "  gf usage --by day --since 2026-11-01 --csv > november.csv",
            "  gf usage --by tree"
        },
        mixinStandardHelpOptions = true)
public final class UsageCommand implements Callable<Integer> {
    /** What a row stands for. */
    enum By {
        USER,
        GROUP,
        TREE,
        DAY,
        JOB;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Mixin private FarmOptions options = new FarmOptions();

    @Option(
            names = "--by",
            paramLabel = "WHAT",
            description =
                    "user; group; tree: directories that have a quota; day: each user's days; job: those that the scheduler still knows (user)")
    private By by = By.USER;

    @Option(
            names = "--since",
            paramLabel = "DAY",
            description = "such as 2026-11-01 (the first of this month)")
    private @Nullable String since;

    @Option(names = "--until", paramLabel = "DAY", description = "this day included (today)")
    private @Nullable String until;

    @Option(names = "--user", paramLabel = "NAME", description = "this user's tasks alone")
    private String user = "";

    @Option(names = "--csv", description = "exact amounts, separated by commas")
    private boolean csv;

    @Override
    public Integer call() {
        LocalDate today = LocalDate.now(ZoneOffset.UTC);
        LocalDate from = day("--since", since, today.withDayOfMonth(1));
        LocalDate to = day("--until", until, today);
        if (to.isBefore(from)) {
            throw new FarmException(
                    ErrorKind.USAGE, "usage --until", to.toString(), "is before " + from);
        }
        if (csv && options.json) {
            throw new FarmException(ErrorKind.USAGE, "usage", "--csv", "either this or --json");
        }
        ClientConfig config = options.configuration();
        Accounts accounts =
                switch (by) {
                    case USER, GROUP, TREE -> new Accounts(by.toString());
                    case DAY, JOB -> new Accounts(by.toString(), "user");
                };
        try (Gridfarm farm = Gridfarm.open(config, "gf usage")) {
            switch (by) {
                case USER -> {
                    files(farm, "user", accounts);
                    tasks(farm, config, from, to, accounts);
                }
                case GROUP -> files(farm, "group", accounts);
                case TREE -> files(farm, "directory", accounts);
                case DAY -> tasks(farm, config, from, to, accounts);
                case JOB -> jobs(farm, config, from, to, accounts);
            }
        }
        if (csv) {
            System.out.print(accounts.csv());
        } else if (options.json) {
            Output.json(
                    Map.of(
                            "by", by.toString(),
                            "since", from.toString(),
                            "until", to.toString(),
                            "usage", accounts.documents()));
        } else {
            accounts.print();
        }
        return 0;
    }

    private static LocalDate day(String option, @Nullable String text, LocalDate otherwise) {
        try {
            return text == null ? otherwise : LocalDate.parse(text);
        } catch (DateTimeParseException e) {
            throw new FarmException(
                    ErrorKind.USAGE, "usage " + option, text, "needs a day such as 2026-11-30", e);
        }
    }

    private void files(Gridfarm farm, String kind, Accounts accounts) {
        for (JsonNode one :
                AdminCalls.call(farm, "quota-show", Map.of("all", "yes")).get("quotas")) {
            if (!one.get("kind").asString().equals(kind)) {
                continue;
            }
            int id = (int) one.get("id").asLong();
            String whose =
                    switch (kind) {
                        case "user" -> FarmPrincipals.userName(id);
                        case "group" -> FarmPrincipals.groupName(id);
                        default -> one.get("path").asString();
                    };
            if (by == By.USER && !user.isEmpty() && !user.equals(whose)) {
                continue;
            }
            accounts.add(Quantity.INODES, one.get("inodes").get("used").asLong(), whose);
            accounts.add(Quantity.BYTES, one.get("bytes").get("used").asLong(), whose);
            accounts.add(Quantity.PHYSICAL, one.get("physical").get("used").asLong(), whose);
        }
    }

    /** A farm may have no scheduler: then nobody has run anything. */
    private void tasks(
            Gridfarm farm, ClientConfig config, LocalDate from, LocalDate to, Accounts accounts) {
        if (config.schedulers().isEmpty()) {
            return;
        }
        List<UsageRow> rows =
                new SchedulerLine(farm, config.schedulers())
                        .call(
                                SchedulerMethods.ACCOUNTS,
                                UsageRequest.newBuilder()
                                        .setFromDay(from.toEpochDay())
                                        .setToDay(to.toEpochDay())
                                        .setUser(user)
                                        .build())
                        .getRowsList();
        for (UsageRow row : rows) {
            String[] whose =
                    by == By.DAY
                            ? new String[] {
                                LocalDate.ofEpochDay(row.getDay()).toString(), row.getUser()
                            }
                            : new String[] {row.getUser()};
            accounts.add(Quantity.TASKS, row.getTasks(), whose);
            accounts.add(Quantity.SLOT_MILLIS, row.getSlotMillis(), whose);
            accounts.add(Quantity.CPU_MICROS, row.getCpuMicros(), whose);
            accounts.add(Quantity.INPUT_LOCAL, row.getInputBytesLocal(), whose);
            accounts.add(Quantity.INPUT_REMOTE, row.getInputBytesRemote(), whose);
        }
    }

    private void jobs(
            Gridfarm farm, ClientConfig config, LocalDate from, LocalDate to, Accounts accounts) {
        long begin = from.atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli();
        long end = to.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli();
        List<JobInfo> jobs =
                new SchedulerLine(farm, config.schedulers())
                        .call(
                                SchedulerMethods.LIST,
                                ListJobsRequest.newBuilder().setAll(true).build())
                        .getJobsList();
        for (JobInfo job : jobs) {
            boolean isAsked = user.isEmpty() || user.equals(job.getUser());
            if (isAsked && job.getEnded() >= begin && job.getEnded() < end) {
                String[] whose = {Long.toString(job.getId()), job.getUser()};
                accounts.add(Quantity.TASKS, job.getTasks(), whose);
                accounts.add(Quantity.CPU_MICROS, job.getCpuMicros(), whose);
                accounts.add(Quantity.INPUT_LOCAL, job.getInputBytesLocal(), whose);
                accounts.add(Quantity.INPUT_REMOTE, job.getInputBytesRemote(), whose);
            }
        }
    }
}
