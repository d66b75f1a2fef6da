package org.gridfarm.client.cli.command;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.nio.file.Path;

/** Where the access keys of S3 are. */
final class S3KeysOption {
    private static final String NAME = "s3-keys";

    @Option(
            names = "--keys",
            paramLabel = "FILE",
            description =
                    "access keys, a line ACCESSKEY SECRETKEY ACCOUNT for each, of mode 600 (s3-keys beside the configuration)")
    private @Nullable Path keys;

    Path file(WhichFarm options) {
        return keys == null ? options.file().resolveSibling(NAME) : keys;
    }
}
