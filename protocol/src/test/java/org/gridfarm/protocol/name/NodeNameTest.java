package org.gridfarm.protocol.name;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.protocol.error.FarmException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeNameTest {
    private static final String LONGEST =
            "n23456789012345678901234567890123456789012345678901234567890abcd";

    @ParameterizedTest
    @ValueSource(strings = {"n", "N1", "9", "rack-1.node_7", "a..b", LONGEST})
    void namesOfNodes(String name) {
        assertThat(new NodeName(name).text()).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-n",
                ".n",
                "_n",
                "a b",
                "a/b",
                "a:b",
                "n\n",
                "\u00fc",
                "\u0661",
                LONGEST + "e"
            })
    void whatIsNone(String name) {
        assertThatThrownBy(() -> new NodeName(name))
                .isInstanceOf(FarmException.class)
                .hasMessageContaining("at most 64");
    }
}
