package org.gridfarm.client.cli.gateway.webhdfs;

import org.gridfarm.client.cli.gateway.call.Call;
import org.gridfarm.client.cli.gateway.http.Parameters;
import org.gridfarm.client.cli.operand.Owner;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.NewMode;
import org.gridfarm.client.core.Policy;
import org.gridfarm.client.core.metadata.RenameFlag;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/** Changes of names and attributes. Each is durable, and seen by everybody, when it is answered. */
final class Changes {
    private static final int REPLICAS_MAX = 1_000;
    private static final int MODE_USUAL = 0755;
    private static final int MODE_MAX = 01777;
    private static final long UNCHANGED = -1;

    private Changes() {}

    static int octal(String text) {
        if (text.matches("[0-7]{1,4}") && Integer.parseInt(text, 8) <= MODE_MAX) {
            return Integer.parseInt(text, 8);
        }
        throw Parameters.wrong("permission", "is octal, 0 to 1777, not " + text);
    }

    static void mkdirs(Call call) throws IOException {
        NewMode mode = Contents.mode(call.request().parameters(), MODE_USUAL);
        if (!call.path().isRoot()) {
            call.farm().mkdirs(call.path().parent());
            makeUnlessThere(call, mode);
        }
        WebHdfs.answer(call, true);
    }

    private static void makeUnlessThere(Call call, NewMode mode) {
        try {
            call.farm().mkdir(call.path(), mode);
        } catch (FarmException e) {
            boolean there =
                    e.kind() == ErrorKind.ALREADY_EXISTS
                            && call.farm().stat(call.path()).isDirectory();
            if (!there) throw e;
        }
    }

    static void symlink(Call call) throws IOException {
        String target = call.request().parameters().required("destination");
        if (call.request().parameters().flag("createparent", false)) {
            call.farm().mkdirs(call.path().parent());
        }
        call.farm().symlink(target, call.path());
        WebHdfs.done(call);
    }

    /** With options as rename(2); without them as HDFS has it since ever, which answers false. */
    static void rename(Call call) throws IOException {
        FarmPath to = Call.path(call.request().parameters().required("destination"));
        Optional<String> options = call.request().parameters().text("renameoptions");
        if (options.isEmpty()) {
            WebHdfs.answer(call, renamed(call.farm(), call.path(), to));
            return;
        }
        boolean overwrites = false;
        for (String option : options.get().toUpperCase(Locale.ROOT).split(",")) {
            switch (option) {
                case "NONE" -> {}
                case "OVERWRITE" -> overwrites = true;
                default ->
                        throw Parameters.wrong(
                                "renameoptions", "is NONE or OVERWRITE, not " + option);
            }
        }
        call.farm().rename(call.path(), to, overwrites ? Set.of() : Set.of(RenameFlag.NO_REPLACE));
        WebHdfs.done(call);
    }

    private static boolean renamed(Gridfarm farm, FarmPath from, FarmPath to) {
        FileInfo source = found(farm, from, false);
        if (source == null || from.isRoot() || to.startsWith(from) && !to.equals(from))
            return false;
        if (to.equals(from)) return !source.isDirectory();
        FileInfo target = found(farm, to, true);
        if (target != null && !target.isDirectory()) return false;
        FarmPath goal = target == null ? to : to.child(from.last());
        if (goal.equals(from)) return false; // it is in that directory
        try {
            farm.rename(from, goal, Set.of(RenameFlag.NO_REPLACE));
            return true;
        } catch (FarmException e) {
            return switch (e.kind()) {
                // NOT_FOUND: of the new name's directory, or the old name has gone meanwhile.
                case ALREADY_EXISTS, NOT_EMPTY, NOT_FOUND, NOT_A_DIRECTORY, INVALID -> false;
                default -> throw e;
            };
        }
    }

    private static @Nullable FileInfo found(Gridfarm farm, FarmPath path, boolean follow) {
        try {
            return follow ? farm.stat(path) : farm.statLink(path);
        } catch (FarmException e) {
            if (e.kind() == ErrorKind.NOT_FOUND || e.kind() == ErrorKind.NOT_A_DIRECTORY) {
                return null;
            }
            throw e;
        }
    }

    /** False where there is nothing to delete. */
    static void delete(Call call) throws IOException {
        boolean recursive = call.request().parameters().flag("recursive", false);
        if (call.path().isRoot()) {
            if (!recursive) requireEmpty(call);
            WebHdfs.answer(call, false);
            return;
        }
        if (found(call.farm(), call.path(), false) == null) {
            WebHdfs.answer(call, false);
            return;
        }
        if (recursive) {
            call.farm().deleteRecursively(call.path());
        } else {
            call.farm().delete(call.path());
        }
        WebHdfs.answer(call, true);
    }

    private static void requireEmpty(Call call) {
        try (Stream<FileInfo> entries = call.farm().list(call.path())) {
            if (entries.findAny().isPresent()) {
                throw new FarmException(ErrorKind.NOT_EMPTY, "delete", call.path().toString());
            }
        }
    }

    /** False for a directory, as HDFS has it. */
    static void replication(Call call) throws IOException {
        int level =
                (int)
                        call.request()
                                .parameters()
                                .number("replication", 1, REPLICAS_MAX)
                                .orElseThrow(() -> Parameters.wrong("replication", "is missing"));
        boolean file = call.farm().stat(call.path()).isRegularFile();
        if (file) call.farm().setPolicy(call.path(), Policy.replicas(level));
        WebHdfs.answer(call, file);
    }

    static void owner(Call call) throws IOException {
        Optional<String> owner = call.request().parameters().text("owner");
        Optional<String> group = call.request().parameters().text("group");
        if (owner.isEmpty() && group.isEmpty()) {
            throw Parameters.wrong("owner", "is missing, and so is group");
        }
        Integer uid = owner.map(name -> known("owner", () -> Owner.user(name))).orElse(null);
        Integer gid = group.map(name -> known("group", () -> Owner.group(name))).orElse(null);
        call.farm().chown(call.path(), uid, gid);
        WebHdfs.done(call);
    }

    /** Who is not known is a mistake of the request, and no file that is missing. */
    static <T> T known(String parameter, java.util.function.Supplier<T> account) {
        try {
            return account.get();
        } catch (FarmException e) {
            throw Parameters.wrong(parameter, String.valueOf(e.getMessage()));
        }
    }

    static void permission(Call call) throws IOException {
        int mode =
                call.request()
                        .parameters()
                        .text("permission")
                        .map(Changes::octal)
                        .orElse(MODE_USUAL);
        call.farm().chmod(call.path(), mode);
        WebHdfs.done(call);
    }

    static void times(Call call) throws IOException {
        call.farm().setTimes(call.path(), time(call, "accesstime"), time(call, "modificationtime"));
        WebHdfs.done(call);
    }

    private static @Nullable Instant time(Call call, String name) {
        OptionalLong millis = call.request().parameters().number(name, UNCHANGED, Long.MAX_VALUE);
        return millis.orElse(UNCHANGED) == UNCHANGED
                ? null
                : Instant.ofEpochMilli(millis.getAsLong());
    }

    static void truncate(Call call) throws IOException {
        long size =
                call.request()
                        .parameters()
                        .number("newlength", 0, Long.MAX_VALUE)
                        .orElseThrow(() -> Parameters.wrong("newlength", "is missing"));
        FileInfo found = call.farm().stat(call.path());
        if (found.isRegularFile() && size > found.size()) {
            throw Parameters.wrong(
                    "newlength", "is more than the " + found.size() + " bytes of the file");
        }
        call.farm().truncate(call.path(), size);
        WebHdfs.answer(call, true);
    }

    static void concat(Call call) {
        throw Operation.unsupported(
                call,
                "concat",
                "each file here has nodes of its own: read the parts and create a file of them");
    }
}
