package org.gridfarm.client.cli.gateway.s3;

import org.gridfarm.client.cli.gateway.s3.auth.S3Code;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** Documents of S3, as they are written. For one thread. */
public final class Xml {
    public static final String TYPE = "application/xml";

    private static final String NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";
    private static final XMLOutputFactory FACTORY = XMLOutputFactory.newDefaultFactory();

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final XMLStreamWriter writer;

    /** What is in an element. */
    public interface Body {
        void write(Xml xml);
    }

    private interface Step {
        void run() throws XMLStreamException;
    }

    private Xml() {
        try {
            writer = FACTORY.createXMLStreamWriter(bytes, "UTF-8");
        } catch (XMLStreamException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A whole document with this element at its top. */
    public static Xml document(String name, Body body) {
        return made(name, NAMESPACE, body);
    }

    /** The answer to a request that is refused, which is in no namespace. */
    public static Xml error(S3Code code, String message, String resource, String id) {
        return made(
                "Error",
                "",
                xml ->
                        xml.text("Code", code.text())
                                .text("Message", shown(message))
                                .text("Resource", shown(resource))
                                .text("RequestId", id));
    }

    /** Messages may name what no document can hold. */
    private static String shown(String text) {
        return text.codePoints()
                .map(point -> Place.isText(point) ? point : '?')
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static Xml made(String name, String namespace, Body body) {
        Xml xml = new Xml();
        xml.step(() -> {
            xml.writer.writeStartDocument("UTF-8", "1.0");
            xml.writer.writeStartElement(name);
            if (!namespace.isEmpty()) xml.writer.writeDefaultNamespace(namespace);
            body.write(xml);
            xml.writer.writeEndElement();
            xml.writer.writeEndDocument();
            xml.writer.flush();
        });
        return xml;
    }

    /** To memory, where only a program that writes wrongly can fail. */
    private void step(Step step) {
        try {
            step.run();
        } catch (XMLStreamException e) {
            throw new IllegalStateException(e);
        }
    }

    public Xml element(String name, Body body) {
        step(() -> {
            writer.writeStartElement(name);
            body.write(this);
            writer.writeEndElement();
        });
        return this;
    }

    public Xml text(String name, Object value) {
        step(() -> {
            writer.writeStartElement(name);
            writer.writeCharacters(String.valueOf(value));
            writer.writeEndElement();
        });
        return this;
    }

    Xml time(String name, Instant time) {
        Instant millis = time.truncatedTo(ChronoUnit.MILLIS);
        return text(name, millis.getNano() == 0 ? millis.toString().replace("Z", ".000Z") : millis);
    }

    public byte[] bytes() {
        return bytes.toByteArray();
    }

    @Override
    public String toString() {
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
