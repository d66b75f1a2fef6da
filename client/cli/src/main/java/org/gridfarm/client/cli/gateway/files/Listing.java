package org.gridfarm.client.cli.gateway.files;

import io.netty.handler.codec.http.HttpHeaderNames;

import org.gridfarm.client.cli.gateway.call.Call;
import org.gridfarm.client.cli.gateway.call.Json;
import org.gridfarm.client.cli.gateway.content.EntityTag;
import org.gridfarm.client.cli.operand.HostNames;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.FileType;
import org.jspecify.annotations.Nullable;

import tools.jackson.core.JsonGenerator;

import java.io.IOException;
import java.time.Instant;
import java.util.Iterator;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Attributes as JSON: of one file or directory, and of a directory with all its {@code entries},
 * which are fetched page by page while they are sent. Of a symbolic link they are those of what it
 * leads to, and {@code target} says that it is one; only one that leads nowhere is of the type
 * {@code link}.
 */
final class Listing {
    private final Call call;
    private final FileInfo top;

    Listing(Call call, FileInfo top) {
        this.call = call;
        this.top = top;
    }

    void sendStatus() throws IOException {
        FileInfo link = call.farm().statLink(call.path());
        String target = link.isSymbolicLink() ? call.farm().readLink(call.path()) : null;
        Json.write(
                call.answer().stream(200, Json.TYPE),
                json -> {
                    json.writeStringProperty("path", call.path().toString());
                    attributes(json, top, target);
                });
    }

    void send() throws IOException {
        if (call.request().method().equals("HEAD")) {
            call.answer().header(HttpHeaderNames.CONTENT_TYPE, Json.TYPE);
            call.answer().begin(200, 0);
            call.answer().end();
            return;
        }
        try (Stream<FileInfo> entries = call.farm().list(call.path())) {
            Json.write(
                    call.answer().stream(200, Json.TYPE),
                    json -> {
                        json.writeStringProperty("path", call.path().toString());
                        attributes(json, top, null);
                        json.writeArrayPropertyStart("entries");
                        for (Iterator<FileInfo> each = entries.iterator(); each.hasNext(); ) {
                            entry(json, each.next());
                        }
                        json.writeEndArray();
                    });
        }
    }

    private void entry(JsonGenerator json, FileInfo entry) {
        String target = null;
        FileInfo shown = entry;
        if (entry.isSymbolicLink()) {
            try {
                target = call.farm().readLink(entry.path());
                shown = call.farm().stat(entry.path());
            } catch (FarmException e) {
                if (leadsSomewhere(e.kind())) throw e;
                if (target == null) return; // gone meanwhile
            }
        }
        json.writeStartObject();
        json.writeStringProperty("name", entry.path().last().toString());
        attributes(json, shown, target);
        json.writeEndObject();
    }

    private static boolean leadsSomewhere(ErrorKind failure) {
        return switch (failure) {
            case NOT_FOUND, NOT_A_DIRECTORY, LINK_LOOP, ACCESS_DENIED -> false;
            default -> true;
        };
    }

    private static void attributes(JsonGenerator json, FileInfo file, @Nullable String target) {
        json.writeStringProperty("type", type(file.type()));
        json.writeNumberProperty("size", file.isRegularFile() ? file.size() : 0);
        json.writeStringProperty("mode", "%04o".formatted(file.mode()));
        json.writeStringProperty("owner", HostNames.user(file.uid()));
        json.writeStringProperty("group", HostNames.group(file.gid()));
        json.writeNumberProperty("uid", Integer.toUnsignedLong(file.uid()));
        json.writeNumberProperty("gid", Integer.toUnsignedLong(file.gid()));
        json.writeNumberProperty("links", file.links());
        json.writeNumberProperty("inode", file.inode());
        json.writeStringProperty("modified", file.modified().toString());
        Instant created = file.created().orElse(file.changed());
        json.writeStringProperty("created", created.toString());
        json.writeNumberProperty("replicas", file.replicasWanted());
        if (file.isRegularFile()) json.writeStringProperty("etag", EntityTag.of(file).text());
        if (target != null) json.writeStringProperty("target", target);
    }

    private static String type(FileType type) {
        return switch (type) {
            case REGULAR -> "file";
            case DIRECTORY -> "directory";
            case SYMLINK -> "link";
            default -> type.name().toLowerCase(Locale.ROOT);
        };
    }
}
