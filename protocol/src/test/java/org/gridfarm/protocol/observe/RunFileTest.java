package org.gridfarm.protocol.observe;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.rpc.HostPort;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

class RunFileTest {
    @Test
    void itSaysWhereTheDaemonListensAndGoesWithIt(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("run/n1.properties");
        try (RunFile run =
                RunFile.write(file, new HostPort("127.0.0.1", 7), new HostPort("::1", 8))) {
            assertThat(run).isNotNull();
            Properties properties = new Properties();
            try (Reader reader = Files.newBufferedReader(file)) {
                properties.load(reader);
            }
            assertThat(properties)
                    .containsEntry("rpc", "127.0.0.1:7")
                    .containsEntry("http", "[::1]:8")
                    .containsEntry("pid", "" + ProcessHandle.current().pid());
        }
        assertThat(file).doesNotExist();
    }
}
