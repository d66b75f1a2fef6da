package org.gridfarm.test.helm;

import com.marcnuri.helm.DryRun;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;

import org.gridfarm.test.tidy.Checkout;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The chart as Helm itself renders it, in this process. What Helm would send before the rest
 * (hooks) its library leaves out: so a copy of the chart is rendered in which that is called
 * otherwise.
 */
final class Chart {
    /** As the copy calls what makes an object one of before. */
    static final String HOOK = "tested.helm.sh/hook";

    static final String RELEASE = "farm";
    static final String NAMESPACE = "ns";

    private static final Path SOURCE = Checkout.root().resolve("deploy/helm/gridfarm");
    private static final Path COPY = copied();

    private Chart() {}

    static Path file(String name) {
        return SOURCE.resolve(name);
    }

    static LintResult lint() {
        return new Helm(COPY).lint().strict().call();
    }

    /** What a cluster would be sent for these values. */
    static Rendered render(String values) {
        return render(RELEASE, values);
    }

    static Rendered render(String release, String values) {
        return Rendered.of(text(release, values));
    }

    /** The same as Helm prints it. */
    static String text(String release, String values) {
        return withFile(
                values,
                file ->
                        new Helm(COPY)
                                .template()
                                .withName(release)
                                .withNamespace(NAMESPACE)
                                .withValuesFile(file)
                                .call());
    }

    /** What Helm says after an installation. */
    static String notes(String values) {
        return withFile(
                values,
                file ->
                        new Helm(COPY)
                                .install()
                                .withName(RELEASE)
                                .withNamespace(NAMESPACE)
                                .withValuesFile(file)
                                .clientOnly()
                                .dryRun()
                                .withDryRunOption(DryRun.CLIENT)
                                .call()
                                .getOutput());
    }

    private interface Use<T> {
        T of(Path file);
    }

    private static <T> T withFile(String values, Use<T> use) {
        try {
            Path file = Files.createTempFile("values", ".yaml");
            try {
                Files.writeString(file, values);
                return use.of(file);
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path copied() {
        try {
            Path copy = Files.createTempDirectory("chart");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(copy)));
            try (Stream<Path> files = Files.walk(SOURCE)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    Path to = copy.resolve(SOURCE.relativize(file).toString());
                    Files.createDirectories(to.getParent());
                    Files.writeString(
                            to,
                            Files.readString(file).replaceAll("(?m)^helm\\.sh/hook:", HOOK + ":"));
                }
            }
            return copy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : deepestFirst) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
