package org.gridfarm.client.cli.usage;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

class AccountsTest {
    private static Accounts accounts() {
        Accounts accounts = new Accounts("day", "user");
        accounts.add(Quantity.SLOT_MILLIS, 1_800_000, "2026-11-01", "ann");
        accounts.add(Quantity.TASKS, 3, "2026-11-01", "ann");
        accounts.add(Quantity.TASKS, 4, "2026-11-01", "ann");
        accounts.add(Quantity.CPU_MICROS, 5_400_000_000L, "2026-11-02", "a,\"b\"");
        return accounts;
    }

    @Test
    void amountsAddUpAndWhatWasNotCountedIsEmpty() {
        assertThat(accounts().csv())
                .isEqualTo(
                        """
                        day,user,tasks,slot_ms,cpu_us
                        2026-11-01,ann,7,1800000,
                        2026-11-02,"a,""b""\",,,5400000000
                        """
                                .replace("\n", "\r\n"));
        assertThat(accounts().documents())
                .containsExactly(
                        Map.of(
                                "day",
                                "2026-11-01",
                                "user",
                                "ann",
                                "tasks",
                                7L,
                                "slot_ms",
                                1_800_000L),
                        Map.of("day", "2026-11-02", "user", "a,\"b\"", "cpu_us", 5_400_000_000L));
    }

    @Test
    void peopleSeeHours() {
        PrintStream before = System.out;
        ByteArrayOutputStream shown = new ByteArrayOutputStream();
        System.setOut(new PrintStream(shown, true, StandardCharsets.UTF_8));
        try {
            accounts().print();
        } finally {
            System.setOut(before);
        }
        assertThat(shown.toString(StandardCharsets.UTF_8).lines())
                .containsExactly(
                        "DAY         USER   TASKS  SLOT HOURS  CPU HOURS",
                        "2026-11-01  ann    7      0.50        -",
                        "2026-11-02  a,\"b\"  -      -           1.50");
    }

    @Test
    void nobodyMakesAHeaderAlone() {
        assertThat(new Accounts("user").csv()).isEqualTo("user\r\n");
        assertThat(new Accounts("user").documents()).isEmpty();
    }
}
