package org.gridfarm.protocol.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseUrlTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql:gridfarm",
                "jdbc:postgresql:///gridfarm",
                "jdbc:postgresql://localhost/gridfarm",
                "jdbc:postgresql://127.0.0.1:5433/gridfarm?socketTimeout=5",
                "jdbc:postgresql://[::1]:5432/gridfarm",
                "jdbc:postgresql://db1,db2:5432/gridfarm?targetServerType=primary&sslmode=verify-full&sslrootcert=/ca.pem",
                "not a URL"
            })
    void nothingIsSaidWhereNobodyIsOnTheWayOrTheServerProvesItself(String url) {
        assertThat(DatabaseUrl.danger(url)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://db.example.org:5432/gridfarm",
                "jdbc:postgresql://localhost,db2/gridfarm",
                "jdbc:postgresql://db/gridfarm?sslmode=require",
                "jdbc:postgresql://db/gridfarm?sslmode=verify-ca",
                "jdbc:postgresql://127.example.org.db/x?applicationName=sslmode=verify-full"
            })
    void whatAnybodyOnTheWayCouldReadIsNamed(String url) {
        assertThat(DatabaseUrl.danger(url))
                .hasValueSatisfying(said ->
                        assertThat(said)
                                .contains("sslmode=verify-full")
                                .doesNotContain("password"));
    }
}
