package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.gateway.s3.auth.AccessKey;
import org.gridfarm.client.cli.gateway.s3.auth.AccessKeys;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;

@Command(
        name = "key",
        header = "Access keys: whose requests are taken, and as which account.",
        description = {
            "",
            "They are in a file on the host of the endpoint, which reads it anew within a second when it has changed."
        },
        mixinStandardHelpOptions = true)
final class S3KeyCommand {
    @Command(
            name = "add",
            header =
                    "Makes a key for an account and prints it; its secret half is shown this once.",
            mixinStandardHelpOptions = true)
    int add(
            @Mixin WhichFarm options,
            @Mixin S3KeysOption keys,
            @Parameters(paramLabel = "ACCOUNT") String account) {
        Path file = keys.file(options);
        AccessKey made = AccessKey.made(account);
        AccessKeys.add(file, made);
        System.out.println("AWS_ACCESS_KEY_ID=" + made.id());
        System.out.println("AWS_SECRET_ACCESS_KEY=" + made.secret());
        return 0;
    }

    @Command(
            name = "list",
            header = "Shows the keys, without their secret halves.",
            mixinStandardHelpOptions = true)
    int list(@Mixin WhichFarm options, @Mixin S3KeysOption keys) {
        Output.Table table = Output.table("KEY", "ACCOUNT");
        for (AccessKey key : AccessKeys.list(keys.file(options))) {
            table.row(key.id(), key.account());
        }
        table.print();
        return 0;
    }

    @Command(
            name = "remove",
            header =
                    "Takes a key away; requests that are signed with it are refused within a second.",
            mixinStandardHelpOptions = true)
    int remove(
            @Mixin WhichFarm options,
            @Mixin S3KeysOption keys,
            @Parameters(paramLabel = "KEY") String id) {
        AccessKeys.remove(keys.file(options), id);
        return 0;
    }
}
