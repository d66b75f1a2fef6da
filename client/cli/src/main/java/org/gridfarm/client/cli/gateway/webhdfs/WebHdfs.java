package org.gridfarm.client.cli.gateway.webhdfs;

import io.netty.handler.codec.http.HttpHeaderNames;

import org.gridfarm.client.cli.gateway.call.Call;
import org.gridfarm.client.cli.gateway.call.Failure;
import org.gridfarm.client.cli.gateway.call.Json;
import org.gridfarm.client.cli.gateway.content.Transfers;
import org.gridfarm.client.cli.gateway.http.Answer;
import org.gridfarm.client.cli.gateway.http.Parameters;
import org.gridfarm.protocol.error.ErrorKind;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Answers requests of WebHDFS. Thread-safe. */
public final class WebHdfs {
    /** Every operation takes them; {@code user.name} and {@code doas} the door has looked at. */
    private static final List<String> COMMON = List.of("op", "user.name", "doas", "delegation");

    private final Contents contents;

    public WebHdfs(Transfers transfers) {
        contents = new Contents(transfers);
    }

    /** What is wrong is thrown, for {@link #tell}. */
    public void answer(Call call) throws IOException {
        Parameters parameters = call.request().parameters();
        String word = parameters.required("op").toUpperCase(Locale.ROOT);
        Operation operation = Operation.named(word);
        if (!operation.method().equals(call.request().method())) {
            call.answer().header(HttpHeaderNames.ALLOW, operation.method());
            tell(
                    call.answer(),
                    new Failure(405, 405, Failure.of(ErrorKind.INVALID).exception()),
                    word + " is asked for by " + operation.method());
            return;
        }
        List<String> known = new ArrayList<>(COMMON);
        known.addAll(operation.parameters());
        parameters.requireOnly(known, word);
        operation.answer(call, contents);
    }

    /** As a RemoteException, which clients of Hadoop throw on their side. */
    public static void tell(Answer answer, Failure failure, String message) throws IOException {
        String name = failure.exception();
        answer(
                answer,
                failure.hadoopStatus(),
                json -> {
                    json.writeObjectPropertyStart("RemoteException");
                    json.writeStringProperty(
                            "exception", name.substring(name.lastIndexOf('.') + 1));
                    json.writeStringProperty("javaClassName", name);
                    json.writeStringProperty("message", message);
                    json.writeEndObject();
                });
    }

    static void answer(Answer answer, int status, Json.Writer writer) throws IOException {
        Json.write(answer.stream(status, Json.TYPE), writer);
    }

    static void answer(Call call, Json.Writer writer) throws IOException {
        answer(call.answer(), 200, writer);
    }

    static void answer(Call call, boolean done) throws IOException {
        answer(call, json -> json.writeBooleanProperty("boolean", done));
    }

    /** That it was done is all there is to say. */
    static void done(Call call) throws IOException {
        call.answer().empty(200);
    }
}
