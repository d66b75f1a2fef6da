package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.operand.AclText;
import org.gridfarm.client.cli.operand.Operands;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

@Command(
        name = "setfacl",
        header = "Changes access control lists, as setfacl does.",
        description = {
            "",
            "Entries are user:NAME:rwx, group:NAME:rx, user::rwx, group::r, mask::rx and other::-, also by their first letters; with",
            "default: before them they are what files made in a directory get. The mask follows the entries unless one is given or -n is."
        },
        footer = {
            "",
            "Examples:",
            "  gf setfacl -m u:ann:rwx /project",
            "  gf setfacl -R -m d:g:physics:rwx /project",
            "  gf setfacl -b /project"
        },
        mixinStandardHelpOptions = true)
public final class Setfacl implements Callable<Integer> {
    @Mixin private WhichFarm options = new WhichFarm();

    @Option(
            names = {"-m", "--modify"},
            split = ",",
            paramLabel = "ENTRY",
            description = "add or change these")
    private List<String> modified = List.of();

    @Option(
            names = {"-x", "--remove"},
            split = ",",
            paramLabel = "ENTRY",
            description = "remove these, such as u:ann")
    private List<String> removed = List.of();

    @Option(names = "--set", split = ",", paramLabel = "ENTRY", description = "these and no others")
    private List<String> exact = List.of();

    @Option(
            names = {"-M", "--modify-file"},
            paramLabel = "FILE",
            description = "the same as -m with the lines of a local file; '-' is standard input")
    private String file = "";

    @Option(
            names = {"-b", "--remove-all"},
            description = "leave only the permission bits")
    private boolean bare;

    @Option(
            names = {"-k", "--remove-default"},
            description = "remove the default ACL")
    private boolean noDefault;

    @Option(
            names = {"-d", "--default"},
            description = "all entries are default: ones")
    private boolean ofDefault;

    @Option(
            names = {"-n", "--no-mask"},
            description = "leave the mask as it is")
    private boolean keepMask;

    @Option(
            names = {"-R", "--recursive"},
            description = "everything below as well")
    private boolean recursive;

    @Parameters(arity = "1..*", paramLabel = "PATH", description = "in the farm")
    private List<String> paths = List.of();

    /** One entry that was asked for. */
    private record Asked(AclText.Entry entry, boolean isDefault, boolean isMask) {}

    @Override
    public Integer call() throws IOException {
        List<String> adding = new ArrayList<>(modified);
        adding.addAll(exact);
        adding.addAll(ofFile());
        List<Asked> changes = adding.stream().map(text -> asked(text, false)).toList();
        List<Asked> removals = removed.stream().map(text -> asked(text, true)).toList();
        if (changes.isEmpty() && removals.isEmpty() && !bare && !noDefault) {
            throw new FarmException(
                    ErrorKind.USAGE,
                    "setfacl",
                    "",
                    "say what is to change: -m, -x, --set, -b or -k");
        }
        return Trees.visit(
                options,
                paths,
                true,
                recursive,
                (farm, found) -> set(farm, found, changes, removals));
    }

    private List<String> ofFile() throws IOException {
        if (file.isEmpty()) {
            return List.of();
        }
        String text =
                file.equals("-")
                        ? new String(System.in.readAllBytes(), StandardCharsets.UTF_8)
                        : Files.readString(Operands.local(file));
        return text.lines()
                .map(line -> line.replaceFirst("#.*", "").trim())
                .filter(line -> !line.isEmpty())
                .toList();
    }

    private Asked asked(String text, boolean removal) {
        boolean marked = text.startsWith("d:") || text.startsWith("default:");
        String entry = marked ? text.substring(text.indexOf(':') + 1) : text;
        AclText.Entry parsed = AclText.entry(entry, removal);
        return new Asked(parsed, marked || ofDefault, parsed.tag() == AclText.Tag.MASK);
    }

    private void set(Gridfarm farm, FileInfo found, List<Asked> changes, List<Asked> removals) {
        if (found.isSymbolicLink()) {
            return; // it has none
        }
        FarmPath path = found.path();
        AclText access =
                farm.getXattr(path, AclText.ACCESS)
                        .map(AclText::ofValue)
                        .orElseGet(() -> AclText.ofMode(found.mode()));
        AclText changed =
                changed(access, of(changes, false), of(removals, false), bare || !exact.isEmpty());
        if (!changed.equals(access)) {
            farm.setXattr(path, AclText.ACCESS, changed.value());
        }
        if (found.isDirectory()) {
            setDefault(farm, found, changed, of(changes, true), of(removals, true));
        }
    }

    private static List<Asked> of(List<Asked> all, boolean ofDefault) {
        return all.stream().filter(asked -> asked.isDefault() == ofDefault).toList();
    }

    private AclText changed(AclText of, List<Asked> changes, List<Asked> removals, boolean anew) {
        AclText acl = anew ? of.base() : of;
        boolean masks = false;
        for (Asked removal : removals) {
            acl = acl.without(removal.entry());
        }
        for (Asked change : changes) {
            acl = acl.with(change.entry());
            masks |= change.isMask();
        }
        boolean touched = anew || !changes.isEmpty() || !removals.isEmpty();
        return touched && !masks && !keepMask ? acl.withMask() : acl;
    }

    private void setDefault(
            Gridfarm farm,
            FileInfo found,
            AclText access,
            List<Asked> changes,
            List<Asked> removals) {
        FarmPath path = found.path();
        Optional<AclText> existing = farm.getXattr(path, AclText.DEFAULT).map(AclText::ofValue);
        if (bare || noDefault) {
            if (existing.isPresent()) {
                farm.removeXattr(path, AclText.DEFAULT);
            }
        }
        if (!changes.isEmpty() || !removals.isEmpty()) {
            AclText base = existing.filter(_ -> !bare && !noDefault).orElseGet(access::base);
            AclText acl = changed(base, changes, removals, !exact.isEmpty());
            farm.setXattr(path, AclText.DEFAULT, acl.value());
        }
    }
}
