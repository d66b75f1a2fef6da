package org.gridfarm.storagenode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.protocol.config.Config;
import org.gridfarm.storagenode.tasks.TaskSettings;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;

class NodeSettingsTest {
    private static TaskSettings tasks(String listen, String tasks) {
        return Config.read(
                        """
                        name = "n1"
                        listen = "%s"
                        metaservers = ["m:1"]
                        data = ["/d"]
                        [tls]
                        credential = "unused"
                        trust = "unused"
                        [tasks]
                        %s
                        """
                                .formatted(listen, tasks),
                        Path.of("n1.toml"),
                        NodeSettings::read)
                .tasks();
    }

    @Test
    void tasksArePeoplesUnlessItIsSaidOtherwise() {
        assertThat(tasks("0.0.0.0:7100", "").minUid()).isEqualTo(1000);
        assertThat(tasks("0.0.0.0:7100", "").allowRoot()).isFalse();
        assertThat(tasks("0.0.0.0:7100", "min_uid = 500").minUid()).isEqualTo(500);
        assertThatThrownBy(() -> tasks("0.0.0.0:7100", "min_uid = 0"))
                .hasMessageContaining("min_uid");
    }

    @Test
    void onlyANodeThatOthersCannotReachRunsRootsTasks() {
        assertThat(tasks("127.0.0.1:7100", "allow_root = true").allowRoot()).isTrue();
        for (String listen : new String[] {"0.0.0.0:7100", "n1.example.org:7100", "10.0.0.1:1"}) {
            assertThatThrownBy(() -> tasks(listen, "allow_root = true"))
                    .hasMessageContaining("'tasks.allow_root' is for a farm of root's own");
        }
    }
}
