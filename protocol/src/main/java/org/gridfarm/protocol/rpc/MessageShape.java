package org.gridfarm.protocol.rpc;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageOrBuilder;
import com.google.protobuf.Parser;

import org.jspecify.annotations.Nullable;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which fields of a message hold messages, and which hold lists of numbers: its descriptor as a
 * table by field number, which costs a field nothing to look into. Immutable; thread-safe.
 */
final class MessageShape {
    /** One for each method whose requests were weighed: a client's start pays for none. */
    private static final Map<Parser<?>, MessageShape> known = new ConcurrentHashMap<>();

    private final @Nullable MessageShape[] messages; // by field number
    private final BitSet numbers = new BitSet();

    private MessageShape(int fieldMax) {
        messages = new MessageShape[fieldMax + 1];
    }

    static MessageShape of(Parser<?> parser) {
        MessageShape shape = known.get(parser);
        return shape != null ? shape : known.computeIfAbsent(parser, MessageShape::read);
    }

    /** Null: what stands in that field is taken as it is, or is not known at all. */
    @Nullable MessageShape messageIn(int field) {
        return field < messages.length ? messages[field] : null;
    }

    /** The field may have many numbers one after another, without a tag for each. */
    boolean hasNumbers(int field) {
        return field < messages.length && numbers.get(field);
    }

    private static MessageShape read(Parser<?> parser) {
        try {
            MessageOrBuilder empty = (MessageOrBuilder) parser.parsePartialFrom(new byte[0]);
            return of(empty.getDescriptorForType(), new HashMap<>());
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("an empty message cannot be read", e);
        }
    }

    /**
     * @param made those that stand around it as well: a message may hold others of its own type
     */
    private static MessageShape of(Descriptor type, Map<Descriptor, MessageShape> made) {
        MessageShape former = made.get(type);
        if (former != null) return former;
        int fieldMax =
                type.getFields().stream().mapToInt(FieldDescriptor::getNumber).max().orElse(0);
        MessageShape shape = new MessageShape(fieldMax);
        made.put(type, shape);
        for (FieldDescriptor field : type.getFields()) {
            if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
                shape.messages[field.getNumber()] = of(field.getMessageType(), made);
            } else if (field.isPackable()) {
                shape.numbers.set(field.getNumber());
            }
        }
        return shape;
    }
}
