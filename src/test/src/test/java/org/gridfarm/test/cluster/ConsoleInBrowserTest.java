package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import org.gridfarm.campaign.Tier;
import org.gridfarm.client.cli.console.ConsoleServer;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.rpc.HostPort;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The console in Chromium with a large farm: 10,000 files in a directory, a job of 1,000 tasks. */
class ConsoleInBrowserTest {
    private static final int FILES = 10_000;
    private static final int TASKS = 1_000;

    /** From asking for a page to its being there and laid out; a person waits no longer gladly. */
    private static final double MILLIS_MAX = 3_000;

    /** How long the browser may stand still while a page is sent again. */
    private static final double STUTTER_MILLIS_MAX = 100;

    @Test
    void aLargeFarmIsShownWithoutAStutter(@TempDir Path directory) throws Exception {
        assumeThat(Tier.current()).as("a browser runs in campaigns").isEqualTo(Tier.CAMPAIGN);
        TestFarm farm = TestFarm.shared();
        FarmPath many = FarmPath.of("/browser");
        farm.client().mkdirs(many);
        Path empty = Files.createFile(directory.resolve("empty"));
        for (int i = 0; i < FILES; i++) {
            farm.client().copyIn(empty, many.child("f%05d".formatted(i)));
        }
        ConsoleServer.Settings settings =
                new ConsoleServer.Settings(
                        new HostPort("127.0.0.1", 0),
                        Optional.empty(),
                        Set.of(),
                        true,
                        true,
                        Optional.empty(),
                        directory.resolve("health-muted"));
        ClientConfig config = ClientConfig.read(farm.directory().resolve("client.toml"));
        Path shots = Files.createDirectories(Path.of("target/console"));
        Path profile = Files.createDirectory(directory.resolve("profile"));
        try (ConsoleServer console = ConsoleServer.start(config, settings);
                Chromium browser = Chromium.start(profile)) {
            for (String colours : List.of("light", "dark")) {
                browser.colours(colours);
                for (String page :
                        List.of(
                                "",
                                "nodes",
                                "replicas",
                                "files",
                                "clients",
                                "jobs",
                                "slow",
                                "health")) {
                    browser.open(console.url() + page);
                    browser.screenshot(shots.resolve(colours + "-" + page + ".png"));
                }
            }
            files(browser, console.url());
            job(browser, console.url(), farm);
            keys(browser, console.url());
        }
    }

    private static void quick(Chromium browser) {
        browser.await("performance.getEntriesByType('navigation')[0].loadEventEnd > 0");
        assertThat(
                        browser.value("performance.getEntriesByType('navigation')[0].loadEventEnd")
                                .asDouble())
                .as("ms to %s", browser.value("location.href"))
                .isLessThan(MILLIS_MAX);
    }

    private static void files(Chromium browser, String url) {
        browser.open(url + "files?path=%2Fbrowser&page=99");
        quick(browser);
        assertThat(browser.value("document.querySelectorAll('tbody tr').length").asInt())
                .isEqualTo(FILES / 100);
        assertThat(browser.value("document.querySelector('a[rel=next]') === null").asBoolean())
                .isTrue();
    }

    /**
     * The page is sent again whenever it has changed. The last of the tasks takes its time: then
     * the page is as large as it gets, and goes on changing.
     */
    private static void job(Chromium browser, String url, TestFarm farm) {
        String task = "[ {} -lt %d ] || sleep 20".formatted(TASKS);
        List<String> words =
                new ArrayList<>(List.of("run", "--detach", "--name", "thousand", task, ":::"));
        for (int i = 1; i <= TASKS; i++) words.add(Integer.toString(i));
        String number = farm.gf(words.toArray(String[]::new)).strip();
        browser.open(url + "jobs");
        browser.value(
                "[...document.querySelectorAll('td.long')].find(c => c.textContent === 'thousand')"
                        + ".parentNode.querySelector('a').click()");
        browser.await("location.pathname === '/job' && document.querySelector('.lane rect')");
        quick(browser);
        browser.await("document.querySelectorAll('.lane rect').length >= " + TASKS);
        browser.value(
                "window.longest = 0; window.updates = 0;"
                        + "new PerformanceObserver(l => l.getEntries().forEach(e => window.longest = Math.max(longest, e.duration)))"
                        + ".observe({type: 'longtask'});"
                        + "new MutationObserver(() => window.updates++).observe(document.getElementById('pulse'), {childList: true})");
        browser.await("updates > 1");
        assertThat(browser.value("longest").asDouble()).as("ms").isLessThan(STUTTER_MILLIS_MAX);
        assertThat(browser.value("document.getElementById('pulse').textContent").asString())
                .isEqualTo("live");
        farm.gf("job", "wait", number);
    }

    private static void keys(Chromium browser, String url) {
        browser.open(url);
        browser.press("g");
        browser.press("n");
        browser.await("location.pathname === '/nodes'");
        browser.await("!document.getElementById('filter').hidden");
        browser.press("/");
        for (String letter : "n2".split("")) browser.press(letter);
        browser.await("document.querySelectorAll('tbody tr:not([hidden])').length === 1");
        browser.press("Escape");
        browser.await("document.querySelectorAll('tbody tr:not([hidden])').length === 3");
        String before = browser.value("getComputedStyle(document.body).backgroundColor").asString();
        browser.value("document.getElementById('theme').click()");
        browser.await("getComputedStyle(document.body).backgroundColor !== '" + before + "'");
    }
}
