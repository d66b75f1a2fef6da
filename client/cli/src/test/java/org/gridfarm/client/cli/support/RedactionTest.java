package org.gridfarm.client.cli.support;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedactionTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "password = \"hunter2\"",
                "database.password=hunter2",
                "\"secret\": \"hunter2\",",
                "PGPASSWORD='hunter2' gf metaserver",
                "url = \"jdbc:postgresql://gf:hunter2@db/gf\"",
                "GET /?token=hunter2 HTTP/1.1",
                "Authorization: Bearer hunter2",
                "pass_phrase_passphrase: hunter2",
                "-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----",
                "-----BEGIN RSA PRIVATE KEY-----\nhunter2 and the rest is cut off"
            })
    void whatLetsSomebodyInIsTakenOut(String text) {
        assertThat(Redaction.of(text)).doesNotContain("hunter2").contains(Redaction.REMOVED);
    }

    @Test
    void theRestStays() {
        String text =
                "password_file = \"/etc/gridfarm/pg\"\nlisten = \"0.0.0.0:7000\"\n"
                        + "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n12 tokens of n1\n";
        assertThat(Redaction.of(text)).isEqualTo(text);
    }
}
