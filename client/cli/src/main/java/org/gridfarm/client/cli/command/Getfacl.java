package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.operand.AclText;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Gridfarm;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;

@Command(
        name = "getfacl",
        header = "Shows access control lists, as getfacl does.",
        mixinStandardHelpOptions = true)
public final class Getfacl implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Option(
            names = {"-R", "--recursive"},
            description = "everything below as well")
    private boolean recursive;

    @Option(
            names = {"-d", "--default"},
            description = "only what files made in a directory get")
    private boolean onlyDefault;

    @Option(
            names = {"-n", "--numeric"},
            description = "numbers of users and groups, not names")
    private boolean numbers;

    @Option(
            names = {"-c", "--omit-header"},
            description = "without the lines that begin with #")
    private boolean headless;

    @Parameters(arity = "1..*", paramLabel = "PATH", description = "in the farm")
    private List<String> paths = List.of();

    private final List<Map<String, Object>> documents = new ArrayList<>();

    @Override
    public Integer call() {
        int code = Trees.visit(options, paths, true, recursive, this::show);
        if (options.json) {
            Output.json(Map.of("files", documents));
        }
        return code;
    }

    private void show(Gridfarm farm, FileInfo found) {
        if (found.isSymbolicLink()) {
            return; // it has none
        }
        AclText access =
                farm.getXattr(found.path(), AclText.ACCESS)
                        .map(AclText::ofValue)
                        .orElseGet(() -> AclText.ofMode(found.mode()));
        Optional<AclText> inherited =
                found.isDirectory()
                        ? farm.getXattr(found.path(), AclText.DEFAULT).map(AclText::ofValue)
                        : Optional.empty();
        List<String> accessLines = onlyDefault ? List.of() : lines(access);
        List<String> defaultLines = inherited.map(this::lines).orElse(List.of());
        if (options.json) {
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("path", found.path().toString());
            document.put("uid", found.uid());
            document.put("gid", found.gid());
            document.put("access", accessLines);
            document.put("default", defaultLines);
            documents.add(document);
            return;
        }
        if (!headless) {
            System.out.println("# file: " + Output.name(found.path().toString()));
            System.out.println("# owner: " + user(found.uid()));
            System.out.println("# group: " + group(found.gid()));
        }
        accessLines.forEach(System.out::println);
        defaultLines.forEach(line -> System.out.println("default:" + line));
        System.out.println();
    }

    private List<String> lines(AclText acl) {
        return acl.entries().stream()
                .map(entry ->
                        entry.tag().word()
                                + ":"
                                + switch (entry.tag()) {
                                    case USER -> user(entry.id());
                                    case GROUP -> group(entry.id());
                                    case USER_OBJ, GROUP_OBJ, MASK, OTHER -> "";
                                }
                                + ":"
                                + AclText.permissions(entry.bits()))
                .toList();
    }

    private String user(int uid) {
        return numbers ? Integer.toUnsignedString(uid) : Describe.user(uid);
    }

    private String group(int gid) {
        return numbers ? Integer.toUnsignedString(gid) : Describe.group(gid);
    }
}
