package org.gridfarm.client.cli.gateway.files;

import io.netty.handler.codec.http.HttpHeaderNames;

import org.gridfarm.client.cli.gateway.call.Call;
import org.gridfarm.client.cli.gateway.call.Failure;
import org.gridfarm.client.cli.gateway.content.ByteRange;
import org.gridfarm.client.cli.gateway.content.Conditions;
import org.gridfarm.client.cli.gateway.content.Download;
import org.gridfarm.client.cli.gateway.content.EntityTag;
import org.gridfarm.client.cli.gateway.content.Transfers;
import org.gridfarm.client.cli.gateway.content.Upload;
import org.gridfarm.client.core.FarmFile;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.NewMode;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * GET, HEAD, PUT and DELETE of files and directories. A PUT is seen in one step, when all of it is
 * on stable storage.
 */
public final class PlainFiles {
    private static final String METHODS = "GET, HEAD, PUT, DELETE, OPTIONS";

    private final Transfers transfers;

    public PlainFiles(Transfers transfers) {
        this.transfers = transfers;
    }

    public void answer(Call call) throws IOException {
        switch (call.request().method()) {
            case "GET", "HEAD" -> read(call);
            case "PUT" -> put(call);
            case "DELETE" -> delete(call);
            case "OPTIONS" -> call.answer().header(HttpHeaderNames.ALLOW, METHODS).empty(204);
            default -> call.answer().header(HttpHeaderNames.ALLOW, METHODS).text(405, METHODS);
        }
    }

    private void read(Call call) throws IOException {
        call.request().parameters().requireOnly(List.of("user.name", "doas", "stat"), "GET");
        FileInfo found = call.farm().stat(call.path());
        if (call.request().parameters().flag("stat", false)) {
            new Listing(call, found).sendStatus();
            return;
        }
        if (found.isDirectory()) {
            new Listing(call, found).send();
            return;
        }
        if (call.request().path().endsWith("/")) {
            throw new FarmException(ErrorKind.NOT_A_DIRECTORY, "list", call.path().toString());
        }
        try (Transfers.Place _ = transfers.take(call.path().toString());
                FarmFile file = call.farm().open(call.path(), OpenFlags.READ)) {
            send(call, file);
        }
    }

    private void send(Call call, FarmFile file) throws IOException {
        FileInfo found = file.stat();
        EntityTag tag = EntityTag.of(found);
        call.answer()
                .header(HttpHeaderNames.ETAG, tag.text())
                .header(HttpHeaderNames.LAST_MODIFIED, Conditions.httpDate(found.modified()))
                .header(HttpHeaderNames.ACCEPT_RANGES, "bytes");
        Conditions conditions = new Conditions(call.request(), found);
        switch (conditions.verdict()) {
            case KNOWN -> {
                call.answer().empty(304);
                return;
            }
            case ANOTHER -> {
                call.answer().text(412, "the file has another entity tag: " + tag.text());
                return;
            }
            case WANTED -> {}
        }
        call.answer().header(HttpHeaderNames.CONTENT_TYPE, "application/octet-stream");
        Optional<ByteRange> range;
        try {
            range = conditions.range();
        } catch (FarmException e) {
            if (e.kind() != ErrorKind.RANGE) throw e;
            call.answer()
                    .header(HttpHeaderNames.CONTENT_RANGE, "bytes */" + found.size())
                    .header(Failure.HEADER, Failure.named(e.kind()))
                    .text(416, e.getMessage());
            return;
        }
        new Download(call, file).answer(range, found.size());
    }

    private void put(Call call) throws IOException {
        call.request()
                .parameters()
                .requireOnly(List.of("user.name", "doas", "mkdirs", "mode", "copy"), "PUT");
        if (call.request().header(HttpHeaderNames.CONTENT_RANGE).isPresent()) {
            throw new FarmException(
                    ErrorKind.UNSUPPORTED,
                    "put",
                    call.path().toString(),
                    "a part of a file is written through a mount or the library");
        }
        if (call.request().path().endsWith("/")) {
            makeDirectory(call);
            return;
        }
        if (call.request().parameters().flag("mkdirs", false)) {
            call.farm().mkdirs(call.path().parent());
        }
        Optional<String> mode = call.request().parameters().text("mode");
        Upload upload =
                new Upload(call, call.path())
                        .mode(mode.map(PlainFiles::mode).orElse(NewMode.FILE))
                        .onlyNew(
                                call.request()
                                        .header(HttpHeaderNames.IF_NONE_MATCH)
                                        .filter("*"::equals)
                                        .isPresent());
        Optional<String> source = call.request().parameters().text("copy");
        source.map(Call::path).ifPresent(upload::copyOf);
        boolean replaced;
        try (Transfers.Place _ = transfers.take(call.path().toString())) {
            replaced = upload.take(there -> judge(call, there));
        }
        call.answer()
                .header(HttpHeaderNames.ETAG, EntityTag.of(call.farm().stat(call.path())).text());
        if (replaced) {
            call.answer().empty(204);
        } else {
            call.answer().text(201, "created " + call.path());
        }
    }

    static NewMode mode(String text) {
        if (!text.matches("[0-7]{3,4}")) {
            throw new FarmException(
                    ErrorKind.INVALID, "parameter", "mode", "is octal like 640, not " + text);
        }
        return NewMode.exactly(Integer.parseInt(text, 8));
    }

    /** Who names the content that he means to replace replaces no other. */
    private static void judge(Call call, @Nullable FileInfo there) {
        Optional<String> match = call.request().header(HttpHeaderNames.IF_MATCH);
        Optional<String> none = call.request().header(HttpHeaderNames.IF_NONE_MATCH);
        boolean other =
                match.isPresent() && (there == null || !EntityTag.of(there).isIn(match.get()));
        boolean known = none.isPresent() && there != null && EntityTag.of(there).isIn(none.get());
        if (other || known) {
            throw new FarmException(
                    ErrorKind.ALREADY_EXISTS,
                    "put",
                    call.path().toString(),
                    there == null
                            ? "no file is there to match " + match.orElse("")
                            : "the file has the entity tag " + EntityTag.of(there).text());
        }
    }

    private static void makeDirectory(Call call) throws IOException {
        if (call.request().hasBody()) {
            throw new FarmException(
                    ErrorKind.IS_A_DIRECTORY,
                    "put",
                    call.path().toString(),
                    "a path with a slash at its end makes a directory and takes no body");
        }
        if (call.request().parameters().flag("mkdirs", false)) {
            call.farm().mkdirs(call.path());
        } else {
            Optional<String> mode = call.request().parameters().text("mode");
            call.farm().mkdir(call.path(), mode.map(PlainFiles::mode).orElse(NewMode.DIRECTORY));
        }
        call.answer().text(201, "created " + call.path());
    }

    private static void delete(Call call) throws IOException {
        call.request()
                .parameters()
                .requireOnly(List.of("user.name", "doas", "recursive"), "DELETE");
        Optional<String> match = call.request().header(HttpHeaderNames.IF_MATCH);
        if (match.isPresent()
                && !EntityTag.of(call.farm().statLink(call.path())).isIn(match.get())) {
            call.answer().text(412, "the file has another entity tag");
            return;
        }
        if (call.request().parameters().flag("recursive", false)) {
            call.farm().deleteRecursively(call.path());
        } else {
            call.farm().delete(call.path());
        }
        call.answer().empty(204);
    }
}
