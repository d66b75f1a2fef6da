package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A mount with -o names: whoever has no name on one of the sides is nobody. */
class NamesOnMountsTest {
    private static final int NOBODY = 65534;

    @Test
    void whoHasANameIsHimselfAndNumbersAloneAreNobody() throws IOException {
        TestFarm farm = TestFarm.shared();
        boolean root = System.getProperty("user.name").equals("root");
        Assumptions.assumeTrue(root, "another user's mount is for himself alone");
        Path mount = farm.mountByNames("n1");
        Path file = mount.resolve("named");
        Files.writeString(file, "x");
        assertThat(Files.getAttribute(file, "unix:uid")).isEqualTo(0);
        farm.gf("chown", "daemon:daemon", "/named");
        assertThat(Files.getOwner(file).getName()).isEqualTo("daemon");
        farm.gf("chown", "424242:424242", "/named");
        assertThat(Files.getAttribute(file, "unix:uid")).isEqualTo(NOBODY);
        assertThat(Files.getAttribute(file, "unix:gid")).isEqualTo(NOBODY);
        assertThatThrownBy(() -> Files.setAttribute(file, "unix:uid", 424242))
                .isInstanceOf(IOException.class);
        Files.delete(file);
    }
}
