package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.test.tidy.Checkout;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The last example of a page: what a person types, and behind it what he sees. */
final class GuideSession {
    private static final Pattern SESSION = Pattern.compile("(?s).*\\n```\\n(.*?)\\n```\\n.*");

    private static final List<String> NAMES = List.of("gf", "gfrun", "gfsched");

    /** What a command prints stands behind it. */
    private static final Pattern PRINTS = Pattern.compile("(?m)^(?!#).*? # (.+)$");

    private GuideSession() {}

    /**
     * Types it word for word and compares what is printed.
     *
     * @param page below docs
     * @param before what was typed before
     */
    static void check(TestFarm farm, String page, Path here, String before) throws IOException {
        Path gf = Checkout.root().resolve("gf");
        Path names = Files.createDirectory(here.resolve("bin"));
        for (String link : NAMES) {
            Files.createSymbolicLink(names.resolve(link), gf);
        }
        Matcher session =
                SESSION.matcher(Files.readString(Checkout.root().resolve("docs").resolve(page)));
        assertThat(session.matches()).isTrue();
        String text = session.group(1);
        String printed =
                farm.script(
                        "unset -f gf; cd '%s'; export GF_BUILD=never PATH='%s':\"$PATH\"\n%s\n"
                                        .formatted(here, names, before)
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
