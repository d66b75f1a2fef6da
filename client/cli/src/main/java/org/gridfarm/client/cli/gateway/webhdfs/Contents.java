package org.gridfarm.client.cli.gateway.webhdfs;

import io.netty.handler.codec.http.HttpHeaderNames;

import org.gridfarm.client.cli.gateway.call.Call;
import org.gridfarm.client.cli.gateway.content.Download;
import org.gridfarm.client.cli.gateway.content.Transfers;
import org.gridfarm.client.cli.gateway.content.Upload;
import org.gridfarm.client.cli.gateway.http.Parameters;
import org.gridfarm.client.cli.gateway.http.Percent;
import org.gridfarm.client.core.FarmFile;
import org.gridfarm.client.core.FarmOutputStream;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.NewMode;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * OPEN, CREATE and APPEND. HDFS leads clients on to a node that takes the data; here they are led
 * back to this gateway. Who sends the data at once is not sent round.
 */
final class Contents {
    private static final int REPLICAS_MAX = 1_000;
    private static final int MODE_USUAL = 0644;
    private static final int PIECE_BYTES = 256 << 10;

    /** Says in the address that the data come with this request. */
    private static final String DATA = "data";

    private final Transfers transfers;

    Contents(Transfers transfers) {
        this.transfers = transfers;
    }

    void open(Call call) throws IOException {
        Parameters parameters = call.request().parameters();
        long offset = parameters.number("offset", 0, Long.MAX_VALUE).orElse(0);
        OptionalLong length = parameters.number("length", 0, Long.MAX_VALUE);
        FileInfo found = call.farm().stat(call.path());
        if (found.isDirectory()) {
            throw new FarmException(
                    ErrorKind.NOT_FOUND, "open", call.path().toString(), "it is a directory");
        }
        if (parameters.flag("noredirect", false)) {
            location(call, address(call, false));
            return;
        }
        try (Transfers.Place _ = transfers.take(call.path().toString());
                FarmFile file = call.farm().open(call.path(), OpenFlags.READ)) {
            long size = file.size();
            if (offset > size) {
                throw Parameters.wrong(
                        "offset", "is behind the end of the file, which has " + size + " bytes");
            }
            long bytes = Math.min(length.orElse(Long.MAX_VALUE), size - offset);
            call.answer().header(HttpHeaderNames.CONTENT_TYPE, "application/octet-stream");
            new Download(call, file).send(200, offset, bytes);
        }
    }

    void create(Call call) throws IOException {
        Parameters parameters = call.request().parameters();
        boolean overwrite = parameters.flag("overwrite", false) || overwritesByFlag(parameters);
        boolean parents = parameters.flag("createparent", true);
        OptionalLong replicas = parameters.number("replication", 1, REPLICAS_MAX);
        NewMode mode = mode(parameters, MODE_USUAL);
        if (!overwrite && isThere(call)) {
            throw new FarmException(ErrorKind.ALREADY_EXISTS, "create", call.path().toString());
        }
        if (leadsOn(call)) return;
        if (parents) call.farm().mkdirs(call.path().parent());
        try (Transfers.Place _ = transfers.take(call.path().toString())) {
            new Upload(call, call.path())
                    .mode(mode)
                    .replicas(
                            replicas.isPresent()
                                    ? OptionalInt.of((int) replicas.getAsLong())
                                    : OptionalInt.empty())
                    .onlyNew(!overwrite)
                    .take(_ -> {});
        }
        call.answer()
                .header(HttpHeaderNames.LOCATION, call.request().origin() + place(call.path()))
                .empty(201);
    }

    /**
     * As it is said where a directory that is missing is not to be made: CREATE, OVERWRITE, APPEND.
     */
    private static boolean overwritesByFlag(Parameters parameters) {
        return parameters
                .text("createflag")
                .filter(flags ->
                        List.of(flags.toUpperCase(Locale.ROOT).split(",")).contains("OVERWRITE"))
                .isPresent();
    }

    private static boolean isThere(Call call) {
        try {
            call.farm().statLink(call.path());
            return true;
        } catch (FarmException e) {
            if (e.kind() == ErrorKind.NOT_FOUND) return false;
            throw e;
        }
    }

    /** What is sent is appended piece by piece: of one that breaks off the beginning is there. */
    void append(Call call) throws IOException {
        FileInfo found = call.farm().stat(call.path());
        if (found.isDirectory()) {
            throw new FarmException(ErrorKind.IS_A_DIRECTORY, "append", call.path().toString());
        }
        if (leadsOn(call)) return;
        try (Transfers.Place _ = transfers.take(call.path().toString());
                FarmOutputStream out =
                        call.farm().open(call.path(), OpenFlags.WRITE.appending()).output()) {
            byte[] piece = new byte[PIECE_BYTES];
            for (int got = call.request().body().read(piece); got >= 0; ) {
                out.write(piece, 0, got);
                got = call.request().body().read(piece);
            }
            out.sync();
        }
        call.answer().empty(200);
    }

    /**
     * Octal, as it stands in {@code permission}; {@code unmaskedpermission} counts before a umask.
     */
    static NewMode mode(Parameters parameters, int usual) {
        return parameters
                .text("permission")
                .map(Changes::octal)
                .map(NewMode::exactly)
                .orElse(NewMode.exactly(usual));
    }

    /** The first of the two steps of HDFS, in which no data come. */
    private static boolean leadsOn(Call call) throws IOException {
        Parameters parameters = call.request().parameters();
        boolean comes = parameters.flag(DATA, false) || call.request().hasBody();
        if (comes) return false;
        String address = address(call, true);
        if (parameters.flag("noredirect", false)) {
            location(call, address);
        } else {
            call.answer().header(HttpHeaderNames.LOCATION, address).empty(307);
        }
        return true;
    }

    private static String address(Call call, boolean withData) {
        String query =
                String.join(
                        "&",
                        java.util.Arrays.stream(call.request().parameters().query().split("&"))
                                .filter(pair ->
                                        !pair.toLowerCase(Locale.ROOT).startsWith("noredirect="))
                                .toList());
        return call.request().origin()
                + place(call.path())
                + "?"
                + Percent.escaped(query)
                + (withData ? "&" + DATA + "=true" : "");
    }

    private static void location(Call call, String address) throws IOException {
        WebHdfs.answer(call, json -> json.writeStringProperty("Location", address));
    }

    private static String place(FarmPath path) {
        return "/webhdfs/v1" + Percent.encoded(path.toString());
    }
}
