package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.protocol.auth.SharedKeys;
import org.gridfarm.protocol.auth.x509.SecretFile;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.nio.file.Files;
import java.nio.file.Path;

@Command(
        name = "key",
        header = "Keys of a small site: people prove with them who they are, without certificates.",
        description = {
            "",
            "The servers have all keys in a file that their configuration names (keys in [grid]), a person has the own one in",
            "~/.config/gridfarm/key. A key never travels: both sides prove that they have it, for one TLS connection.",
            "",
            "Example: gf key add ann --out ann.key"
        },
        mixinStandardHelpOptions = true)
public final class KeyCommand {
    /** Where the servers' keys are. */
    static final class KeysOption {
        @Option(
                names = "--keys",
                paramLabel = "FILE",
                description = "the servers' keys, of mode 600 (keys beside the configuration)")
        private @Nullable Path keys;

        Path file(WhichFarm options) {
            return keys == null ? options.file().resolveSibling("keys") : keys;
        }

        SharedKeys read(WhichFarm options) {
            Path file = file(options);
            return Files.exists(file) ? SharedKeys.load(file) : SharedKeys.none();
        }
    }

    @Command(
            name = "add",
            header = "Makes a key for an account, for the servers and in a file for its owner.",
            mixinStandardHelpOptions = true)
    int add(
            @Mixin WhichFarm options,
            @Mixin KeysOption keys,
            @Option(
                            names = "--id",
                            defaultValue = "",
                            paramLabel = "ID",
                            description = "what it is called (as the account)")
                    String id,
            @Option(
                            names = "--out",
                            required = true,
                            paramLabel = "FILE",
                            description =
                                    "the owner's file, which is not there yet; to be put into ~/.config/gridfarm/key")
                    Path out,
            @Parameters(paramLabel = "ACCOUNT") String account) {
        if (Files.exists(out)) {
            throw new FarmException(ErrorKind.ALREADY_EXISTS, "add key", out.toString());
        }
        SharedKeys.Key made = SharedKeys.Key.make(id.isEmpty() ? account : id, account);
        SharedKeys all = keys.read(options).with(made);
        SecretFile.write(out, made.line() + "\n");
        all.save(keys.file(options));
        return 0;
    }

    @Command(
            name = "list",
            header = "Shows the keys, without their secrets.",
            mixinStandardHelpOptions = true)
    int list(@Mixin WhichFarm options, @Mixin KeysOption keys) {
        Output.Table table = Output.table("KEY", "ACCOUNT");
        keys.read(options).all().forEach(key -> table.row(key.id(), key.account()));
        table.print();
        return 0;
    }

    @Command(
            name = "remove",
            header = "Takes a key away; who came with it is cut off within seconds.",
            mixinStandardHelpOptions = true)
    int remove(
            @Mixin WhichFarm options,
            @Mixin KeysOption keys,
            @Parameters(paramLabel = "ID") String id) {
        keys.read(options).without(id).save(keys.file(options));
        return 0;
    }
}
