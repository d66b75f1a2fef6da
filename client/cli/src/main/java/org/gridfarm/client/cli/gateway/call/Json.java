package org.gridfarm.client.cli.gateway.call;

import tools.jackson.core.JsonGenerator;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.exc.JacksonIOException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;

import java.io.IOException;
import java.io.OutputStream;

/**
 * How answers are written. Whatever is not ASCII is escaped: a name that is not UTF-8 comes as lone
 * surrogates, one for each byte ({@code NameText}), which no UTF-8 stands for.
 */
public final class Json {
    public static final String TYPE = "application/json";

    private static final JsonFactory FACTORY =
            JsonFactory.builder()
                    .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
                    .disable(StreamWriteFeature.AUTO_CLOSE_CONTENT)
                    .build();

    private Json() {}

    /** Writes the properties of the one object that a document is. */
    public interface Writer {
        void write(JsonGenerator json) throws IOException;
    }

    /** A document; only what is whole has an end, and closes the stream. */
    public static void write(OutputStream out, Writer writer) throws IOException {
        try {
            JsonGenerator json =
                    FACTORY.createGenerator(tools.jackson.core.ObjectWriteContext.empty(), out);
            json.writeStartObject();
            writer.write(json);
            json.writeEndObject();
            json.close();
        } catch (JacksonIOException e) {
            throw e.getCause();
        }
    }
}
