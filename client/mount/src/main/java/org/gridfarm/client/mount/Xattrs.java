package org.gridfarm.client.mount;

import com.google.protobuf.ByteString;

import org.gridfarm.client.core.metadata.Metadata;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.client.mount.fuse.EmptyReply;
import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.Flags;
import org.gridfarm.client.mount.fuse.RawName;
import org.gridfarm.client.mount.fuse.Request;
import org.gridfarm.client.mount.fuse.XattrReply;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.LocateReply;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.SetXattr;
import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Extended attributes: those of the metaserver, which has {@code gf.replicas} and the rest of a
 * file's policy among them, and some that only tell: {@code gf.where} names the nodes, {@code
 * gf.stripe} the layout, {@code gf.digest} is the sum of the block sums in hexadecimal, {@code
 * gf.last_error} what failed last for it here. None of {@code gf.} is listed, so that copying a
 * file's attributes does not copy them.
 */
final class Xattrs {
    private static final String FARM_PREFIX = "gf.";
    private static final String LAST_ERROR = "gf.last_error";
    private static final String WHERE = "gf.where";
    private static final String STRIPE = "gf.stripe";
    private static final String DIGEST = "gf.digest";
    private static final Set<String> TOLD = Set.of(LAST_ERROR, WHERE, STRIPE, DIGEST);
    private static final String CAPABILITY = "security.capability";
    private static final String ACL_PREFIX = "system.posix_acl_";
    private static final Set<String> ACLS = Set.of(ACL_PREFIX + "access", ACL_PREFIX + "default");
    private static final Set<String> PREFIXES = Set.of("user.", "trusted.", "security.");
    private static final ByteString TRUSTED = ByteString.copyFromUtf8("trusted.");

    private final Mounted mounted;
    private final Metadata metadata;
    private final Files files;

    Xattrs(Mounted mounted, Files files) {
        this.mounted = mounted;
        this.files = files;
        this.metadata = mounted.metadata();
    }

    void get(XattrReply reply, long node, RawName name) {
        String text = name.toString();
        if (refuses(reply, text)) {
            return;
        }
        if (TOLD.contains(text)) {
            virtual(reply, node, text);
            return;
        }
        Attributes cached = known(node);
        boolean acl = text.startsWith(ACL_PREFIX);
        boolean stored = !text.startsWith(FARM_PREFIX);
        if (stored && cached != null && (acl ? !cached.getHasAcl() : !cached.getHasXattr())) {
            reply.fail(Errno.ENODATA);
            return;
        }
        metadata.getXattr(mounted.who(reply), node, ByteString.copyFrom(name.bytes()))
                .thenApply(value -> toLocal(text, value))
                .whenComplete((value, failure) -> {
                    if (failure != null && mounted.remains().areOf(node, failure)) {
                        reply.fail(Errno.ENODATA);
                    } else {
                        answer(reply, node, value, failure);
                    }
                });
    }

    void list(XattrReply reply, long node) {
        Attributes cached = known(node);
        if (cached != null && !cached.getHasAcl() && !cached.getHasXattr()) {
            reply.value(new byte[0]);
            return;
        }
        metadata.listXattr(mounted.who(reply), node)
                .whenComplete((names, failure) -> {
                    if (failure != null && mounted.remains().areOf(node, failure)) {
                        reply.value(new byte[0]);
                        return;
                    }
                    if (failure != null) {
                        mounted.failByPath(reply, node, "listxattr", failure, OpenFlags.READ);
                        return;
                    }
                    ByteArrayOutputStream joined = new ByteArrayOutputStream();
                    for (ByteString name : names) {
                        if (reply.uid() != 0 && name.startsWith(TRUSTED)) {
                            continue; // xattr(7): the superuser's alone
                        }
                        joined.writeBytes(name.toByteArray());
                        joined.write(0);
                    }
                    reply.value(joined.toByteArray());
                });
    }

    private @Nullable Attributes known(long node) {
        Attributes remaining = mounted.remains().of(node);
        return remaining != null ? remaining : metadata.leasedAttributes(node);
    }

    /** An access ACL takes the set-group bit by itself from who may not keep it. */
    void set(EmptyReply reply, long node, RawName name, byte[] value, int flags) {
        String text = name.toString();
        if (refuses(reply, text)) {
            return;
        }
        if (TOLD.contains(text)) {
            reply.fail(Errno.EPERM);
            return;
        }
        SetXattr change =
                SetXattr.newBuilder()
                        .setInode(node)
                        .setName(ByteString.copyFrom(name.bytes()))
                        .setValue(ByteString.copyFrom(toFarm(text, value)))
                        .setCreate((flags & Flags.XATTR_CREATE) != 0)
                        .setReplace((flags & Flags.XATTR_REPLACE) != 0)
                        .build();
        metadata.setXattr(mounted.who(reply), change)
                .whenComplete((_, failure) -> {
                    if (failure != null) {
                        mounted.failByPath(
                                reply, node, "setxattr " + text, failure, OpenFlags.READ);
                        return;
                    }
                    if (text.equals(CAPABILITY)) {
                        files.taking().given(node);
                    }
                    reply.done();
                });
    }

    void remove(EmptyReply reply, long node, RawName name) {
        String text = name.toString();
        if (refuses(reply, text)) {
            return;
        }
        if (TOLD.contains(text)) {
            reply.fail(Errno.EPERM);
            return;
        }
        metadata.removeXattr(mounted.who(reply), node, ByteString.copyFrom(name.bytes()))
                .whenComplete((_, failure) -> {
                    if (failure != null) {
                        mounted.failByPath(reply, node, "removexattr", failure, OpenFlags.READ);
                    } else {
                        reply.done();
                    }
                });
    }

    /** True when it was answered: names that no file system of Linux takes. */
    private static boolean refuses(Request reply, String name) {
        if (name.startsWith(FARM_PREFIX) || ACLS.contains(name)) {
            return false;
        }
        int prefix = name.indexOf('.') + 1;
        if (!PREFIXES.contains(name.substring(0, prefix))) {
            reply.fail(Errno.EOPNOTSUPP);
            return true;
        }
        if (prefix == name.length()) {
            reply.fail(Errno.EINVAL);
            return true;
        }
        return false;
    }

    private void virtual(XattrReply reply, long node, String name) {
        if (name.equals(LAST_ERROR)) {
            String error = mounted.errors().of(node);
            if (error == null) {
                reply.fail(Errno.ENODATA);
            } else {
                reply.value(error.getBytes(StandardCharsets.UTF_8));
            }
            return;
        }
        metadata.locate(mounted.who(reply), node, false)
                .whenComplete((located, failure) -> {
                    String value = failure == null ? value(name, located) : null;
                    if (failure == null && value == null) {
                        reply.fail(Errno.ENODATA);
                    } else {
                        answer(
                                reply,
                                node,
                                value == null ? null : ByteString.copyFromUtf8(value),
                                failure);
                    }
                });
    }

    private static @Nullable String value(String name, LocateReply located) {
        return switch (name) {
            case WHERE ->
                    located.getLayout().getObjectsList().stream()
                            .map(ObjectLocation::getReplicasList)
                            .map(replicas ->
                                    replicas.stream()
                                            .map(Replica::getNode)
                                            .collect(Collectors.joining(",")))
                            .collect(Collectors.joining("\n"));
            case STRIPE ->
                    Math.max(1, located.getLayout().getStripeCount())
                            + " x "
                            + located.getLayout().getStripeUnit();
            case DIGEST ->
                    located.getDigest().isEmpty()
                            ? null
                            : HexFormat.of().formatHex(located.getDigest().toByteArray());
            default -> null;
        };
    }

    private byte[] toFarm(String name, byte[] value) {
        return name.startsWith(ACL_PREFIX) ? mounted.identities().aclToFarm(value) : value;
    }

    private ByteString toLocal(String name, ByteString value) {
        return name.startsWith(ACL_PREFIX)
                ? ByteString.copyFrom(mounted.identities().aclToLocal(value.toByteArray()))
                : value;
    }

    private void answer(
            XattrReply reply, long node, @Nullable ByteString value, @Nullable Throwable failure) {
        if (failure != null || value == null) {
            mounted.fail(
                    reply,
                    node,
                    "getxattr",
                    failure == null ? new IllegalStateException("no value") : failure);
        } else {
            reply.value(value.toByteArray());
        }
    }
}
