package org.gridfarm.client.cli.make;

import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;

import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Whether what a step leaves is there and as new as what it reads; asks the farm. Thread-safe. */
final class Freshness {
    private static final Duration READ_MAX = Duration.ofHours(6); // a file may be large

    private final Gridfarm farm;
    private final boolean isByDigest;
    private final Map<FarmPath, String> digests = new ConcurrentHashMap<>();
    private final Map<FarmPath, Instant> times = new ConcurrentHashMap<>(); // of inputs

    Freshness(Gridfarm farm, boolean isByDigest) {
        this.farm = farm;
        this.isByDigest = isByDigest;
    }

    /**
     * @param stale why it is to be run; empty if it is up to date
     * @param how what is to be noted of it when it has succeeded
     */
    record Judgement(String stale, Ledger.Made how) {}

    /** All that the step reads is there. */
    Judgement of(Step step, Optional<Ledger.Made> before) {
        Ledger.Made how =
                new Ledger.Made(
                        Ledger.digest(step.text()), isByDigest ? digestOfInputs(step) : "-");
        return new Judgement(stale(step, before, how), how);
    }

    private String stale(Step step, Optional<Ledger.Made> before, Ledger.Made how) {
        if (!farm.exists(step.output())) {
            return "is not there";
        }
        if (before.isPresent() && !before.get().command().equals(how.command())) {
            return "was made by another command, or of other files";
        }
        if (isByDigest) {
            return before.isEmpty()
                    ? "is not known to be made of these files"
                    : before.get().inputs().equals(how.inputs())
                            ? ""
                            : "was made when its input was another";
        }
        Instant made = farm.stat(step.output()).modified();
        for (FarmPath input : step.inputs()) {
            if (modified(input).isAfter(made)) {
                return "is older than " + input;
            }
        }
        return "";
    }

    /** Steps read the same files again and again. */
    private Instant modified(FarmPath input) {
        return times.computeIfAbsent(input, path -> farm.stat(path).modified());
    }

    private String digestOfInputs(Step step) {
        StringBuilder all = new StringBuilder();
        for (FarmPath input : step.inputs()) {
            all.append(digests.computeIfAbsent(input, this::digest)).append('\n');
        }
        return Ledger.digest(all.toString());
    }

    private String digest(FarmPath input) {
        FileInfo file = farm.stat(input);
        if (file.isDirectory()) {
            throw new FarmException(
                    ErrorKind.IS_A_DIRECTORY,
                    "make",
                    input.toString(),
                    "a directory has no digest: name its files, or use --by time");
        }
        return HexFormat.of().formatHex(farm.sum(input, false, READ_MAX).getDigest().toByteArray());
    }

    /** It has just been made: what was known of it is of another one. */
    void forget(FarmPath output) {
        digests.remove(output);
        times.remove(output);
    }
}
