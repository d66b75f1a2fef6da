package org.gridfarm.client.hadoop.contract;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import org.apache.hadoop.fs.FileSystem;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Runs classes of this package, {@code Contracts$Rename}, or methods of them, {@code
 * Contracts$Rename#testRenameNonexistentFile}. Prints a line for each class and each failure; exit
 * status 1 where something failed or nothing ran.
 */
public final class ContractRun implements TestExecutionListener {
    private final Map<String, int[]> counts = new TreeMap<>(); // run, failed, left out
    private final List<String> left = new ArrayList<>();

    private ContractRun() {}

    public static void main(String[] names) throws Exception {
        List<DiscoverySelector> selected = new ArrayList<>();
        for (String name : names) {
            String full = ContractRun.class.getPackageName() + '.' + name;
            selected.add(name.contains("#") ? selectMethod(full) : selectClass(full));
        }
        LauncherDiscoveryRequest request =
                LauncherDiscoveryRequestBuilder.request().selectors(selected).build();
        ContractRun run = new ContractRun();
        Launcher launcher = LauncherFactory.create();
        launcher.execute(request, run);
        FileSystem.closeAll();
        run.report();
        System.exit(run.isGood(names.length) ? 0 : 1);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        boolean failed = result.getStatus() == TestExecutionResult.Status.FAILED;
        if (!test.isTest() && !failed) {
            return;
        }
        int[] sums = counts.computeIfAbsent(group(test), key -> new int[3]);
        String why = result.getThrowable().map(Throwable::toString).orElse("");
        switch (result.getStatus()) {
            case SUCCESSFUL -> sums[0]++;
            case ABORTED -> {
                sums[2]++;
                left.add(name(test) + ": " + why);
            }
            case FAILED -> {
                sums[1]++;
                System.out.println("FAILED " + name(test) + ": " + why);
                result.getThrowable().ifPresent(thrown -> thrown.printStackTrace(System.out));
            }
        }
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        counts.computeIfAbsent(group(test), key -> new int[3])[2]++;
        left.add(name(test) + ": " + reason);
    }

    private static String group(TestIdentifier test) {
        String id = test.getUniqueId();
        return id.replaceFirst(".*hadoop\\.contract\\.([A-Za-z$]+).*", "$1");
    }

    private static String name(TestIdentifier test) {
        return group(test) + ' ' + test.getDisplayName();
    }

    private void report() {
        left.forEach(one -> System.out.println("left out " + one.lines().findFirst().orElse("")));
        counts.forEach((name, sums) ->
                System.out.printf(
                        "%s: %d passed, %d failed, %d left out%n",
                        name, sums[0], sums[1], sums[2]));
    }

    private boolean isGood(int asked) {
        return counts.size() >= Math.min(1, asked)
                && counts.values().stream().allMatch(sums -> sums[1] == 0)
                && counts.values().stream().anyMatch(sums -> sums[0] > 0);
    }
}
