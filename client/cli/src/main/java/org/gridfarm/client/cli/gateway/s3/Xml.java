package org.gridfarm.client.cli.gateway.s3;

import org.gridfarm.client.cli.gateway.s3.auth.S3Code;
import org.gridfarm.client.cli.gateway.s3.auth.S3Failure;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** Documents of S3, as they are written and as they are read. For one thread. */
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

    // ---- reading

    /** The element at the top of a document of at most so many bytes, to its end. */
    static Element read(InputStream from, int bytesMax, String top) throws IOException {
        byte[] document = from.readNBytes(bytesMax + 1);
        if (document.length > bytesMax) {
            throw new S3Failure(
                    S3Code.MALFORMED_XML, "a document has at most " + bytesMax + " bytes");
        }
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newDefaultInstance();
            factory.setNamespaceAware(true);
            factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            var builder = factory.newDocumentBuilder();
            builder.setErrorHandler(null); // which would print
            Document read = builder.parse(new ByteArrayInputStream(document));
            Element found = read.getDocumentElement();
            if (found.getLocalName().equals(top)) return found;
            throw new S3Failure(
                    S3Code.MALFORMED_XML,
                    "the document is " + found.getLocalName() + ", not " + top);
        } catch (SAXException | ParserConfigurationException e) {
            throw new S3Failure(
                    S3Code.MALFORMED_XML, "the document cannot be read: " + e.getMessage(), e);
        }
    }

    static List<Element> children(Element of, String name) {
        List<Element> found = new ArrayList<>();
        for (Node each = of.getFirstChild(); each != null; each = each.getNextSibling()) {
            if (each instanceof Element child && name.equals(child.getLocalName())) {
                found.add(child);
            }
        }
        return found;
    }

    static Optional<String> child(Element of, String name) {
        return children(of, name).stream().findFirst().map(Element::getTextContent);
    }

    static String requiredChild(Element of, String name) {
        return child(of, name)
                .orElseThrow(() ->
                        new S3Failure(S3Code.MALFORMED_XML, of.getLocalName() + " has no " + name));
    }
}
