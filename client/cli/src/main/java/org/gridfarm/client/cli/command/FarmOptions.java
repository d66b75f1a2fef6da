package org.gridfarm.client.cli.command;

import picocli.CommandLine.Option;

/**
 * Options of a command that asks a farm and shows the answer: docs/json.md has each one's document.
 */
public final class FarmOptions extends WhichFarm {
    @Option(
            names = "--json",
            description = "one JSON document with stable keys on standard output (docs/json.md)")
    boolean json;
}
