package org.gridfarm.client.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.client.cli.command.Subcommand;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** What is answered to words that no farm is needed for: help, mistakes, other spellings. */
@ResourceLock(Resources.SYSTEM_OUT)
@ResourceLock(Resources.SYSTEM_ERR)
class CommandTableTest {
    private final PrintStream out = System.out;
    private final PrintStream err = System.err;
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();

    @BeforeEach
    void listen() {
        PrintStream both = new PrintStream(said, true, StandardCharsets.UTF_8);
        System.setOut(both);
        System.setErr(both);
    }

    @AfterEach
    void leave() {
        System.setOut(out);
        System.setErr(err);
    }

    private int gf(String... words) {
        said.reset();
        return Gf.run("gf", words);
    }

    private String said() {
        return said.toString(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @EnumSource
    void everyCommandHelpsAndRefusesAnOptionItHasNot(Subcommand command) {
        assertThat(gf(command.label(), "--help")).isZero();
        assertThat(said()).contains("Usage: gf " + command.label());
        assertThat(gf("help", command.label())).isZero();
        assertThat(said()).contains("Usage: gf " + command.label());
        if (!command.hasDashedOperands()) {
            assertThat(gf(command.label(), "--no-such-option")).isEqualTo(64);
            assertThat(said())
                    .contains("gf " + command.label())
                    .contains("--no-such-option")
                    .doesNotContain("Exception");
        }
    }

    @Test
    void helpListsEveryCommandInAGroup() {
        assertThat(gf("help")).isZero();
        String help = said();
        for (Subcommand command : Subcommand.values()) {
            assertThat(help).contains("\n  " + command.label() + " ");
        }
        for (Subcommand.Group group : Subcommand.Group.values()) {
            assertThat(help).contains("\n" + group.title() + "\n");
        }
        gf("--help");
        assertThat(said()).isEqualTo(help);
        assertThat(gf()).isEqualTo(64);
        assertThat(said()).isEqualTo(help);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    hlep                    | there is no command 'hlep'
                    sl                      | did you mean 'gf ls'?
                    chomd                   | did you mean 'gf chmod'?
                    setfac                  | did you mean 'gf setfacl'?
                    xyzzy                   | there is no command 'xyzzy'
                    ls --recursve /         | did you mean '--recursive'?
                    ls --jsn /              | did you mean '--json'?
                    put x                   | gf put: give LOCAL... PATH
                    mv /a                   | gf mv: give PATH
                    chmod                   | give MODE
                    chmod u+q /a            | modes are like 644, u+x or g=rx,o=
                    chmod 999 /a            | modes are like
                    chown : /a              | give a user, user:group or :group
                    chown no-such-user! /a  | user no-such-user!: not found
                    chgrp no-such-group! /a | group no-such-group!: not found
                    touch -d yesterday /a   | times are like 2026-01-31
                    setfacl /a              | say what is to change
                    setfacl -m x:y /a       | entries are like user:ann:rw-
                    setfacl -m u::q /a      | permissions are like rw-
                    setfattr /a             | give -n NAME -v VALUE, or -x NAME
                    setfattr -n user.a -v 0xz /a | neither hexadecimal nor base 64
                    head -n many /a         | 'many' is not a size
                    tail -c x /a            | 'x' is not a size
                    ls -j                   | there is no option '-j'
                    df / /                  | '/' is one word too many
                    setrep /a               | say a level and paths
                    setrep 0 /a             | the level is at least 1
                    rep /a                  | name a node
                    rep /a --to             | gf rep: --to needs NODE
                    stat -c                 | gf stat: --format needs FORMAT
                    replicas                | gf replicas: give one of --under, --over
                    replicas --under --over | mutually exclusive
                    setstripe /a            | gf setstripe: give --count
                    setstripe -c x /a       | '--count': 'x' is not
                    du --max-depth x /      | '--max-depth': 'x' is not
                    run                     | give COMMAND
                    run --slots x true      | '--slots': 'x' is not
                    run --slot 1 true       | did you mean '--slots'?
                    submit /no/such/script  | local file /no/such/script: not found
                    job                     | gf job: give ACTION
                    job odd 1               | expected one of
                    job cancel              | gf job: give JOB[.TASK]
                    job cancel x            | give the number of a job, such as 12 or 12.3
                    node drain              | gf node: give NODE
                    scrub odd               | known are start, stop and status
                    balance x               | gf balance: 'x' is one word too many
                    quota                   | gf quota: give one of
                    quota odd               | there is no 'odd': give one of
                    quota set               | gf quota set: give one of --user
                    quota set user ann      | 'user' is one word too many
                    proxy init --hours x    | '--hours': 'x' is not
                    meta dump               | gf meta dump: give FILE
                    cluster kill            | gf cluster kill: give --dir
                    cluster start --nodes x | '--nodes': 'x' is not
                    bench odd               | there is no 'odd': give one of
                    umount                  | gf umount: give DIR
                    mount /a /b             | '/b' is one word too many
                    setup --join /no/such   | /no/such
                    """)
    void mistakesAreNamedInOneLineAndEndWithTheirStatus(String line, String answer) {
        int status = gf(line.split(" "));
        assertThat(said()).contains(answer).doesNotContain("Exception", "org.gridfarm");
        assertThat(status).isIn(64, 66, 74);
        assertThat(said().lines().count()).isLessThanOrEqualTo(2);
    }

    @Test
    void optionsOfEveryCommandMayStandBeforeIt() {
        int before = gf("--json", "--config", "/no/such/file", "ls", "/");
        String saidBefore = said();
        int behind = gf("ls", "--json", "--config", "/no/such/file", "/");
        assertThat(saidBefore).contains("/no/such/file").isEqualTo(said());
        assertThat(before).isEqualTo(behind).isNotZero();
        gf("--json", "--config", "/no/such/file", "quota", "show", "--all");
        assertThat(said()).contains("/no/such/file");
        gf("--config=/no/such/file", "du");
        assertThat(said()).contains("/no/such/file");
    }

    @Test
    void shortHIsForPeopleWhereTheyMeanIt() {
        for (String command : new String[] {"ls", "du", "df"}) {
            gf(command, "-h", "--config", "/no/such/file");
            assertThat(said()).contains("/no/such/file").doesNotContain("Usage");
        }
    }

    @Test
    void versionHasASpellingWithoutDashes() {
        assertThat(gf("version")).isZero();
        assertThat(said()).startsWith("gf ");
    }
}
