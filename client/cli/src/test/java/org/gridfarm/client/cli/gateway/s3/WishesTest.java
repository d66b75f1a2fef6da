package org.gridfarm.client.cli.gateway.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.client.cli.gateway.s3.auth.S3Code;
import org.gridfarm.client.cli.gateway.s3.auth.S3Failure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

class WishesTest {
    private static Wishes read(String text) throws Exception {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return Wishes.read(new ByteArrayInputStream(bytes), "Delete", "Object", 2);
    }

    @Test
    void whatIsWantedIsRead() throws Exception {
        Wishes read =
                read(
                        "<?xml version=\"1.0\"?><Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"> <Quiet>true</Quiet>\n"
                                + "<Object><Key>a&amp;b</Key></Object><Object><Key> c </Key><ETag>x</ETag></Object></Delete>");
        assertThat(read.words()).isEqualTo(Map.of("Quiet", "true"));
        assertThat(read.each())
                .containsExactly(Map.of("Key", "a&b"), Map.of("Key", " c ", "ETag", "x"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "no document",
                "<Delete>",
                "<Delete></Delete>",
                "<Other><Object><Key>a</Key></Object></Other>",
                "<Delete><Object><Key><Deep/></Key></Object></Delete>",
                "<Delete>text<Object><Key>a</Key></Object></Delete>",
                "<Delete><Object/><Object/><Object/></Delete>",
                "<!DOCTYPE d [<!ENTITY e SYSTEM \"file:///etc/passwd\">]><Delete><Object><Key>&e;</Key></Object></Delete>",
            })
    void whatCannotBeReadIsMalformed(String text) {
        assertThatThrownBy(() -> read(text))
                .isInstanceOfSatisfying(
                        S3Failure.class, e -> assertThat(e.code()).isEqualTo(S3Code.MALFORMED_XML));
    }
}
