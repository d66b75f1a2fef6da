package org.gridfarm.client.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.client.mount.MountSettings.WriteBehind;
import org.gridfarm.client.mount.fuse.MountFlag;
import org.gridfarm.protocol.rpc.HostPort;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

class MountSettingsTest {
    @Test
    void setUserBitsAndDevicesCountWhereRootMountsForAllAndDoesNotRuleThemOut() {
        assertThat(flags("", true)).isEmpty();
        assertThat(flags("nosuid,noexec", true))
                .containsExactlyInAnyOrder(MountFlag.NO_SUID, MountFlag.NO_EXEC);
        assertThat(flags("nodev,dev", true)).as("the last word holds").isEmpty();
    }

    @Test
    void otherMountsHaveNeitherUnlessTheyAskForThem() {
        assertThat(flags("", false)).containsExactlyInAnyOrder(MountFlag.NO_SUID, MountFlag.NO_DEV);
        assertThat(flags("suid,ro,noatime", false))
                .containsExactlyInAnyOrder(
                        MountFlag.NO_DEV, MountFlag.READ_ONLY, MountFlag.NO_ATIME);
        assertThat(flags("ro,rw", false)).doesNotContain(MountFlag.READ_ONLY);
    }

    @Test
    void anOptionThatNobodyKnowsIsNotTakenForHarmless() {
        assertThatThrownBy(() -> settings("sync", "/etc/none")).hasMessageContaining("sync");
    }

    @Test
    void directoriesOfItsOwnAreWishedForWithoutAWord() {
        assertThat(settings("ro", "/etc/none").writeBehind())
                .isEqualTo(WriteBehind.BORN_WHERE_POSSIBLE);
        assertThat(settings("writebehind=born", "/etc/none").writeBehind())
                .isEqualTo(WriteBehind.BORN);
        assertThat(settings("writebehind=born,writebehind=off", "/etc/none").writeBehind())
                .as("the last word holds")
                .isEqualTo(WriteBehind.OFF);
        assertThat(settings("writebehind=on", "/etc/none").writeBehind()).isEqualTo(WriteBehind.ON);
        assertThatThrownBy(() -> settings("writebehind=yes", "/etc/none"))
                .hasMessageContaining("off, born or on");
    }

    @Test
    void metricsAreShownWhereItSays() {
        assertThat(settings("ro", "/etc/none").http()).isNull();
        assertThat(settings("http=127.0.0.1:7301", "/etc/none").http())
                .isEqualTo(new HostPort("127.0.0.1", 7301));
        assertThatThrownBy(() -> settings("http=7301", "/etc/none"))
                .hasMessageContaining("http=7301")
                .hasMessageContaining("HOST:PORT");
    }

    @Test
    void whyLocalReplicasAreNotHandedToTheKernelIsSaid(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("client.toml");
        String common = "metaservers = [\"localhost:1\"]\n";
        String tls = "[tls]\ncredential = \"x\"\ntrust = \"x\"\n";
        Files.writeString(file, common + tls);
        assertThat(noPassthrough("ro", file)).contains("node");
        assertThat(noPassthrough("node=n1", file)).isEmpty();
        Files.writeString(file, common + "node = \"n1\"\n" + tls);
        assertThat(noPassthrough("ro", file)).isEmpty();
        assertThat(noPassthrough("nopassthrough", file)).contains("nopassthrough");
    }

    private static String noPassthrough(String options, Path config) {
        MountSettings settings = settings(options, config.toString());
        return settings.noPassthrough(settings.client());
    }

    private static Set<MountFlag> flags(String options, boolean everybody) {
        return settings(options.isEmpty() ? "rw" : options, "/etc/none").options(everybody).flags();
    }

    private static MountSettings settings(String options, String config) {
        return MountSettings.parse(
                new String[] {"--config", config, "-o", options, "/mnt/somewhere"});
    }
}
