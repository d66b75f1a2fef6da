package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.health.FarmCheck;
import org.gridfarm.client.cli.health.HealthCode;
import org.gridfarm.client.cli.health.HealthFinding;
import org.gridfarm.client.cli.health.Muted;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.config.Units;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "health",
        header = "Says what is wrong with the farm and what to do.",
        description = {
            "",
            "Each finding has a code that never changes (--codes lists them), a count, a cause and a cure. Looked at are the",
            "farm and, on this machine, its mounts and the certificate in use. What is accepted can be muted on this machine.",
            "",
            "Exit status 0: all is well or muted; 1: something needs attention, or is being repaired; 2: content is lost or",
            "corrupt, or something does not work."
        },
        mixinStandardHelpOptions = true)
public final class Health implements Callable<Integer> {
    private static final String FOREVER = "3650d";

    @Mixin private FarmOptions options = new FarmOptions();

    @Option(
            names = "--detail",
            description = "also what each code means, all that is in the way, and what is muted")
    private boolean detail;

    @Option(names = "--codes", description = "list all codes and what they mean; asks nobody")
    private boolean codes;

    @Option(
            names = "--mute",
            paramLabel = "CODE",
            description = "say no more of it on this machine")
    private @Nullable String mute;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            defaultValue = FOREVER,
            description = "with --mute: such as 12h or 7d (until --unmute)")
    private String time = FOREVER;

    @Option(names = "--unmute", paramLabel = "CODE", description = "say it again")
    private @Nullable String unmute;

    @Override
    public Integer call() {
        if (codes) return listCodes();
        Instant now = Instant.now();
        Muted muted = new Muted(options.file().resolveSibling("health-muted"));
        if (mute != null) {
            muted.mute(Muted.code(mute), now.plus(duration(time)), now);
            return 0;
        }
        if (unmute != null) {
            muted.unmute(Muted.code(unmute), now);
            return 0;
        }
        List<HealthFinding> all = look(now);
        Map<HealthCode, Instant> silenced = muted.at(now);
        List<HealthFinding> told =
                all.stream().filter(finding -> !silenced.containsKey(finding.code())).toList();
        int worst = told.stream().mapToInt(f -> f.code().severity().status()).max().orElse(0);
        if (options.json) {
            Output.json(
                    Map.of(
                            "state",
                            List.of("ok", "warning", "error").get(worst),
                            "findings",
                            told.stream().map(Health::document).toList(),
                            "muted",
                            silenced.keySet().stream().map(HealthCode::name).toList()));
            return worst;
        }
        if (told.isEmpty()) System.out.println("OK");
        told.forEach(this::show);
        if (detail) {
            silenced.forEach((code, until) -> {
                long count = all.stream().filter(finding -> finding.code() == code).count();
                System.out.println("muted " + code + " until " + until + ": " + count + " now");
            });
        }
        return worst;
    }

    private static java.time.Duration duration(String time) {
        try {
            return Units.duration(time);
        } catch (IllegalArgumentException e) {
            throw new FarmException(
                    ErrorKind.USAGE, "health", time, "--for takes a time such as 12h or 7d", e);
        }
    }

    private List<HealthFinding> look(Instant now) {
        List<Gridfarm> opened = new ArrayList<>();
        try {
            return FarmCheck.all(
                    options.configuration(),
                    () -> {
                        Gridfarm farm = options.connect();
                        opened.add(farm);
                        return farm;
                    },
                    now);
        } finally {
            opened.forEach(Gridfarm::close);
        }
    }

    private void show(HealthFinding finding) {
        HealthCode code = finding.code();
        String severity = code.severity() == HealthCode.Severity.ERROR ? "ERROR" : "WARN ";
        System.out.println(Output.name(severity + " " + code + ": " + finding.cause()));
        if (detail) System.out.println("      " + code.meaning());
        System.out.println(Output.name("      -> " + finding.cure()));
        if (detail)
            finding.details().forEach(line -> System.out.println("      " + Output.name(line)));
    }

    private static Map<String, Object> document(HealthFinding finding) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("code", finding.code().name());
        document.put(
                "severity", finding.code().severity().name().toLowerCase(java.util.Locale.ROOT));
        document.put("count", finding.count());
        document.put("cause", finding.cause());
        document.put("cure", finding.cure());
        document.put("meaning", finding.code().meaning());
        document.put("details", finding.details());
        return document;
    }

    private int listCodes() {
        if (options.json) {
            Output.json(
                    Map.of(
                            "codes",
                            List.of(HealthCode.values()).stream()
                                    .map(code ->
                                            Map.of(
                                                    "code",
                                                    code.name(),
                                                    "exit_status",
                                                    code.severity().status(),
                                                    "meaning",
                                                    code.meaning()))
                                    .toList()));
            return 0;
        }
        Output.Table table = Output.table("CODE", "EXIT", "MEANING");
        for (HealthCode code : HealthCode.values()) {
            table.row(code.name(), code.severity().status(), code.meaning());
        }
        table.print();
        return 0;
    }
}
