package org.gridfarm.client.cli.gateway.s3;

import org.gridfarm.client.cli.gateway.s3.auth.S3Code;
import org.gridfarm.client.cli.gateway.s3.auth.S3Failure;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * A document of a client: a list of things, each with some words, and words of its own. It is read
 * as it comes, so that it takes no more memory than what is in it.
 *
 * @param words of the document
 * @param each of the list
 */
record Wishes(Map<String, String> words, List<Map<String, String>> each) {
    private static final int BYTES_MAX = 4 << 20;
    private static final int WORD_MAX = 16 << 10;
    private static final XMLInputFactory FACTORY = factory();
    private static final DocumentRoom ROOM = DocumentRoom.ofThisProcess();

    private static XMLInputFactory factory() {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        return factory;
    }

    /**
     * @param top the element of the document
     * @param item the elements of the list
     * @param most of them
     */
    static Wishes read(InputStream from, String top, String item, int most) throws IOException {
        return ROOM.with(from, BYTES_MAX, document -> read(document, top, item, most));
    }

    private static Wishes read(byte[] document, String top, String item, int most) {
        if (document.length > BYTES_MAX) {
            throw malformed("a document has at most " + BYTES_MAX + " bytes");
        }
        try {
            XMLStreamReader reader =
                    FACTORY.createXMLStreamReader(new java.io.ByteArrayInputStream(document));
            reader.nextTag();
            if (!reader.getLocalName().equals(top)) {
                throw malformed("it is " + reader.getLocalName() + ", not " + top);
            }
            Wishes read = new Wishes(new HashMap<>(), new ArrayList<>());
            while (reader.nextTag() == XMLStreamConstants.START_ELEMENT) {
                String name = reader.getLocalName();
                if (name.equals(item)) {
                    if (read.each.size() == most) {
                        throw malformed("it has more than " + most + " " + item);
                    }
                    read.each.add(words(reader));
                } else {
                    read.words.put(name, word(reader));
                }
            }
            if (read.each.isEmpty()) throw malformed("it has no " + item);
            return read;
        } catch (XMLStreamException e) {
            throw new S3Failure(
                    S3Code.MALFORMED_XML, "the document cannot be read: " + e.getMessage(), e);
        }
    }

    private static S3Failure malformed(String why) {
        return new S3Failure(S3Code.MALFORMED_XML, "the document: " + why);
    }

    private static Map<String, String> words(XMLStreamReader reader) throws XMLStreamException {
        Map<String, String> words = new HashMap<>();
        while (reader.nextTag() == XMLStreamConstants.START_ELEMENT) {
            words.put(reader.getLocalName(), word(reader));
        }
        return words;
    }

    private static String word(XMLStreamReader reader) throws XMLStreamException {
        String text = reader.getElementText();
        if (text.length() > WORD_MAX) throw malformed("a word of it is too long");
        return text;
    }

    static String required(Map<String, String> words, String name) {
        return Optional.ofNullable(words.get(name))
                .orElseThrow(() -> malformed("something in it has no " + name));
    }
}
