package org.gridfarm.client.cli.command;

import picocli.CommandLine.Option;

/** For commands where {@code -h} means what it means in the command they are named after. */
final class HelpOption {
    @Option(names = "--help", usageHelp = true, description = "show this help message and exit")
    private boolean help;
}
