package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.test.tidy.Checkout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The sessions of the pages for people who know another way to run jobs, word for word. */
class JobGuidesTest {
    private static final Pattern SESSION = Pattern.compile("(?s).*\\n```\\n(.*?)\\n```\\n.*");

    private static final List<String> NAMES = List.of("gf", "gfrun", "gfsched");

    /** What a command prints stands behind it. */
    private static final Pattern PRINTS = Pattern.compile("(?m)^(?!#).*? # (.+)$");

    @ParameterizedTest
    @ValueSource(strings = {"gfrun", "parallel", "slurm"})
    void everyLineDoesWhatThePageSays(String name, @TempDir Path here) throws IOException {
        TestFarm farm = TestFarm.shared();
        Path gf = Checkout.root().resolve("gf");
        Path names = Files.createDirectory(here.resolve("bin"));
        for (String link : NAMES) {
            Files.createSymbolicLink(names.resolve(link), gf);
        }
        String page = Files.readString(Checkout.root().resolve("docs/jobs-from-" + name + ".md"));
        Matcher session = SESSION.matcher(page);
        assertThat(session.matches()).isTrue();
        String text = session.group(1);
        String printed =
                farm.script(
                        "unset -f gf; cd '%s'; export GF_BUILD=never PATH='%s':\"$PATH\"\n"
                                        .formatted(here, names)
                                + text);
        for (String link : NAMES) { // JUnit warns of links that lead elsewhere
            Files.delete(names.resolve(link));
        }
        Matcher prints = PRINTS.matcher(text);
        int from = 0;
        int count = 0;
        while (prints.find()) {
            String wanted = prints.group(1).strip();
            int at = printed.indexOf(wanted, from);
            assertThat(at).as("%s, in what is left of%n%s", wanted, printed).isNotNegative();
            from = at + wanted.length();
            count++;
        }
        assertThat(count).isGreaterThan(5);
    }
}
