package org.gridfarm.client.cli.gateway.webhdfs;

import org.gridfarm.client.cli.gateway.call.Call;
import org.gridfarm.client.cli.operand.AclText;
import org.gridfarm.client.cli.operand.AclText.Entry;
import org.gridfarm.client.cli.operand.AclText.Tag;
import org.gridfarm.client.cli.operand.HostNames;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Credentials;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** POSIX ACLs, in the two attributes that a mount has them in, too; and who may do what. */
final class Acls {
    private static final String DEFAULT_WORD = "default:";

    private Acls() {}

    /** Entries that the request names, in the order in which they stand. */
    private record Spec(List<Entry> access, List<Entry> ofNew) {
        static Spec of(Call call, boolean removed) {
            List<Entry> access = new ArrayList<>();
            List<Entry> ofNew = new ArrayList<>();
            for (String text : call.request().parameters().required("aclspec").split(",")) {
                boolean isOfNew = text.startsWith(DEFAULT_WORD);
                String entry = isOfNew ? text.substring(DEFAULT_WORD.length()) : text;
                // A trailing colon with nothing behind it is how clients name what is to go.
                String bare = removed ? entry.replaceFirst("^([^:]*:[^:]*):.*$", "$1") : entry;
                (isOfNew ? ofNew : access)
                        .add(Changes.known("aclspec", () -> AclText.entry(bare, removed)));
            }
            return new Spec(access, ofNew);
        }
    }

    static void status(Call call) throws IOException {
        FileInfo found = call.farm().stat(call.path());
        List<String> entries = new ArrayList<>();
        AclText access = access(call, found);
        if (access.hasNames()) {
            // The rest of it is in the permission.
            access.entries().stream()
                    .filter(e ->
                            e.tag() == Tag.USER || e.tag() == Tag.GROUP || e.tag() == Tag.GROUP_OBJ)
                    .forEach(e -> entries.add(text(e)));
        }
        ofNew(call, found).entries().forEach(e -> entries.add(DEFAULT_WORD + text(e)));
        WebHdfs.answer(
                call,
                json -> {
                    json.writeObjectPropertyStart("AclStatus");
                    json.writeArrayPropertyStart("entries");
                    entries.forEach(json::writeString);
                    json.writeEndArray();
                    json.writeStringProperty("group", HostNames.group(found.gid()));
                    json.writeStringProperty("owner", HostNames.user(found.uid()));
                    json.writeStringProperty(
                            "permission", Integer.toOctalString(found.mode() & 0777));
                    json.writeBooleanProperty("stickyBit", (found.mode() & 01000) != 0);
                    json.writeEndObject();
                });
    }

    private static String text(Entry entry) {
        String name =
                switch (entry.tag()) {
                    case USER -> HostNames.user(entry.id());
                    case GROUP -> HostNames.group(entry.id());
                    case USER_OBJ, GROUP_OBJ, MASK, OTHER -> "";
                };
        return entry.tag().word() + ":" + name + ":" + AclText.permissions(entry.bits());
    }

    private static AclText access(Call call, FileInfo found) {
        return call.farm()
                .getXattr(call.path(), AclText.ACCESS)
                .map(AclText::ofValue)
                .orElseGet(() -> AclText.ofMode(found.mode()));
    }

    private static AclText ofNew(Call call, FileInfo found) {
        Optional<byte[]> value =
                found.isDirectory()
                        ? call.farm().getXattr(call.path(), AclText.DEFAULT)
                        : Optional.empty();
        return value.map(AclText::ofValue).orElse(new AclText(List.of()));
    }

    static void modify(Call call) throws IOException {
        Spec spec = Spec.of(call, false);
        change(call, spec, acl -> with(acl, spec.access), acl -> with(acl, spec.ofNew));
    }

    static void removeEntries(Call call) throws IOException {
        Spec spec = Spec.of(call, true);
        change(call, spec, acl -> without(acl, spec.access), acl -> without(acl, spec.ofNew));
    }

    /** Those of a scope that the new ones do not name stay. */
    static void set(Call call) throws IOException {
        Spec spec = Spec.of(call, false);
        change(
                call,
                spec,
                acl -> with(acl.base(), spec.access),
                _ -> with(new AclText(List.of()), spec.ofNew));
    }

    static void removeDefault(Call call) throws IOException {
        dropDefault(call);
        WebHdfs.done(call);
    }

    static void removeAll(Call call) throws IOException {
        FileInfo found = call.farm().stat(call.path());
        call.farm().setXattr(call.path(), AclText.ACCESS, access(call, found).base().value());
        if (found.isDirectory()) dropDefault(call);
        WebHdfs.done(call);
    }

    private static void dropDefault(Call call) {
        if (call.farm().getXattr(call.path(), AclText.DEFAULT).isPresent()) {
            call.farm().removeXattr(call.path(), AclText.DEFAULT);
        }
    }

    private static void change(
            Call call, Spec spec, UnaryOperator<AclText> access, UnaryOperator<AclText> ofNew)
            throws IOException {
        FileInfo found = call.farm().stat(call.path());
        AclText before = access(call, found);
        if (!spec.ofNew.isEmpty() && !found.isDirectory()) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "acl",
                    call.path().toString(),
                    "only a directory has a default ACL");
        }
        if (!spec.access.isEmpty()) {
            AclText changed = masked(access.apply(before), spec.access);
            call.farm().setXattr(call.path(), AclText.ACCESS, changed.value());
        }
        if (!spec.ofNew.isEmpty()) {
            AclText changed = ofNew.apply(ofNew(call, found));
            if (changed.entries().isEmpty()) {
                dropDefault(call);
            } else {
                AclText whole = masked(completed(changed, before), spec.ofNew);
                call.farm().setXattr(call.path(), AclText.DEFAULT, whole.value());
            }
        }
        WebHdfs.done(call);
    }

    private static AclText with(AclText acl, List<Entry> entries) {
        AclText changed = acl;
        for (Entry entry : entries) changed = changed.with(entry);
        return changed;
    }

    private static AclText without(AclText acl, List<Entry> entries) {
        AclText changed = acl;
        for (Entry entry : entries) changed = changed.without(entry);
        return changed;
    }

    /** A mask that was asked for stays as it was asked for. */
    private static AclText masked(AclText acl, List<Entry> asked) {
        boolean byHand =
                asked.stream().anyMatch(entry -> entry.tag() == Tag.MASK && entry.bits() > 0);
        return byHand ? acl : acl.withMask();
    }

    /** A default ACL has entries for owner, group and others, as the access ACL has them. */
    private static AclText completed(AclText ofNew, AclText access) {
        AclText whole = ofNew;
        for (Entry entry : access.base().entries()) {
            boolean there = whole.entries().stream().anyMatch(e -> e.tag() == entry.tag());
            if (!there) whole = whole.with(entry);
        }
        return whole;
    }

    /** As access(2): nothing where he may, and refused where not. */
    static void check(Call call) throws IOException {
        String action = call.request().parameters().required("fsaction");
        if (!action.matches("[r-][w-][x-]")) {
            throw org.gridfarm.client.cli.gateway.http.Parameters.wrong(
                    "fsaction", "is like r-x, not " + action);
        }
        int wanted =
                (action.contains("r") ? 4 : 0)
                        | (action.contains("w") ? 2 : 0)
                        | (action.contains("x") ? 1 : 0);
        FileInfo found = call.farm().stat(call.path());
        if ((permitted(call, found) & wanted) != wanted) {
            throw new FarmException(
                    ErrorKind.ACCESS_DENIED, "access " + action, call.path().toString());
        }
        WebHdfs.done(call);
    }

    private static int permitted(Call call, FileInfo found) {
        Credentials who = call.farm().metadata().self();
        if (who.getUid() == 0) {
            boolean runs = found.isDirectory() || (found.mode() & 0111) != 0;
            return runs ? 7 : 6;
        }
        if (who.getUid() == found.uid()) return found.mode() >> 6 & 7;
        AclText acl = access(call, found);
        int mask =
                acl.entries().stream()
                        .filter(entry -> entry.tag() == Tag.MASK)
                        .mapToInt(Entry::bits)
                        .findFirst()
                        .orElse(7);
        for (Entry entry : acl.entries()) {
            if (entry.tag() == Tag.USER && entry.id() == who.getUid()) return entry.bits() & mask;
        }
        // Of several groups one that permits is enough, as the kernel has it for one question.
        boolean any = false;
        int bits = 0;
        for (Entry entry : acl.entries()) {
            boolean own = entry.tag() == Tag.GROUP_OBJ && isOf(who, found.gid());
            boolean named = entry.tag() == Tag.GROUP && isOf(who, entry.id());
            if (own || named) {
                any = true;
                bits |= entry.bits() & mask;
            }
        }
        return any ? bits : found.mode() & 7;
    }

    private static boolean isOf(Credentials who, int gid) {
        return who.getGid() == gid || who.getGroupsList().contains(gid);
    }
}
