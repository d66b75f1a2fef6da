package org.gridfarm.client.cli.command;

import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.Optional;

/** Which farm, and who is asking. */
class WhichFarm {
    @Option(
            names = "--config",
            paramLabel = "FILE",
            description =
                    "configuration; else GF_CONFIG, ~/.config/gridfarm/config.toml, /etc/gridfarm/config.toml")
    @Nullable Path config;

    @Option(
            names = "--as",
            paramLabel = "ACCOUNT",
            description =
                    "which of your accounts you are, where the farm gives you several; else GF_ACCOUNT, the configuration's, the first")
    String account = "";

    ClientConfig configuration() {
        return ClientConfig.find(Optional.ofNullable(config)).withAccount(account);
    }

    /** The file that {@link #configuration} reads. */
    Path file() {
        return ClientConfig.locate(Optional.ofNullable(config)).toAbsolutePath();
    }

    Gridfarm connect() {
        return Gridfarm.open(configuration(), "gf");
    }
}
