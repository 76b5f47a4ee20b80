package io.ringtable.cli.bridge;

import io.ringtable.wire.Encoding;
import io.ringtable.wire.EncodingWriter;
import io.ringtable.wire.MalformedMessage;
import io.ringtable.wire.Sections;
import java.security.MessageDigest;

/**
 * Holds the bytes of a message on its way, and writes them for the target.
 * <p>
 * Properties, application properties, body and footer stay byte for byte, and so do the message annotations. Of the
 * header durable, priority and ttl stay. Delivery-count and first-acquirer speak of deliveries of the source, and so do
 * the delivery annotations: they stay behind. A key, if the target takes one, is added as {@code _AMQ_DUPL_ID}.
 * <p>
 * Thread: the event loop.
 */
final class CarriedMessage {
    static final String DUPLICATE_ID = "_AMQ_DUPL_ID";

    private static final int HEADER_FIELDS_KEPT = 3; // durable, priority, ttl

    private final byte[] bytes;
    private int header = -1; // where the first of the kept fields is
    private int headerFields;
    private int headerEnd;
    private int annotations = -1; // where the first key is
    private int annotationCount;
    private int bare; // where the message annotations end
    private int messageId = -1;
    private int properties; // where the application properties begin, or would
    private int firstProperty = -1;
    private int propertyCount;
    private int body; // where the application properties end
    private int bodyEnd; // where the footer begins, if there is one
    private boolean ownId;

    /** @throws MalformedMessage if the bytes are no message */
    CarriedMessage(byte[] bytes) throws MalformedMessage {
        this.bytes = bytes;
        Sections sections = new Sections().over(bytes, 0, bytes.length);
        while (sections.advance()) {
            int code = sections.code();
            if (code == Sections.HEADER) {
                header(sections);
            } else if (code == Sections.MESSAGE_ANNOTATIONS) {
                annotations = sections.first();
                annotationCount = sections.count();
            } else if (code == Sections.PROPERTIES) {
                messageId(sections);
            } else if (code == Sections.APPLICATION_PROPERTIES) {
                firstProperty = sections.first();
                propertyCount = sections.count();
                ownId = hasOwnId(sections);
            }
            ends(code, sections.next());
        }
    }

    /** Moves the borders of the parts behind a section. */
    private void ends(int code, int end) {
        if (code <= Sections.MESSAGE_ANNOTATIONS) {
            bare = end;
        }
        if (code < Sections.APPLICATION_PROPERTIES) {
            properties = end;
        }
        if (code <= Sections.APPLICATION_PROPERTIES) {
            body = end;
        }
        if (code < Sections.FOOTER) {
            bodyEnd = end;
        }
    }

    private void messageId(Sections sections) throws MalformedMessage {
        int first = sections.first();
        if (sections.count() > 0 && Encoding.code(bytes, first, sections.next()) != Encoding.NULL) {
            messageId = first;
        }
    }

    private void header(Sections sections) throws MalformedMessage {
        header = sections.first();
        headerFields = Math.min(HEADER_FIELDS_KEPT, sections.count());
        headerEnd = header;
        for (int i = 0; i < headerFields; i++) {
            headerEnd = Encoding.skip(bytes, headerEnd, sections.next());
        }
    }

    private boolean hasOwnId(Sections sections) throws MalformedMessage {
        int position = sections.first();
        for (int i = 0; i < sections.count() / 2; i++) {
            int value = Encoding.skip(bytes, position, sections.next());
            boolean found = Encoding.textEquals(bytes, position, DUPLICATE_ID);
            position = Encoding.skip(bytes, value, sections.next());
            if (found && position - value > 1) { // neither null nor of another type than a text or a binary
                return Encoding.variable(bytes, value).length > 0;
            }
        }
        return false;
    }

    /** Returns whether the publisher has given the message a duplicate id, which then counts at the target too. */
    boolean hasOwnId() {
        return ownId;
    }

    boolean hasMessageId() {
        return messageId >= 0;
    }

    /** Adds the message id with its type, and the body: what a publisher has sent twice is the same in both. */
    void addId(MessageDigest digest) throws MalformedMessage {
        int end = Encoding.skip(bytes, messageId, bytes.length);
        digest.update(bytes, messageId, end - messageId);
        digest.update(bytes, body, bodyEnd - body);
    }

    /** Adds the bare message (AMQP 1.0 section 3.2), which no broker may change. */
    void addContent(MessageDigest digest) {
        digest.update(bytes, bare, bodyEnd - bare);
    }

    /**
     * Returns the message for the target.
     *
     * @param key null = none
     */
    byte[] forTarget(EncodingWriter out, String key, Product.KeyPlace place) throws MalformedMessage {
        out.reset();
        if (headerFields > 0) {
            out.section(Sections.HEADER);
            int start = out.beginCompound(Encoding.LIST_32);
            copy(out, header, headerEnd);
            out.endCompound(start, headerFields);
        }
        writeAnnotations(out, place == Product.KeyPlace.ANNOTATION ? key : null);
        if (key != null && place == Product.KeyPlace.PROPERTY) {
            copy(out, bare, properties);
            writeProperties(out, key);
            copy(out, body, bytes.length);
        } else {
            copy(out, bare, bytes.length);
        }
        return out.toBytes();
    }

    /** Writes the annotations without the id that an earlier bridge may have written. */
    private void writeAnnotations(EncodingWriter out, String key) throws MalformedMessage {
        if (annotationCount == 0 && key == null) {
            return;
        }
        out.section(Sections.MESSAGE_ANNOTATIONS);
        int start = out.beginCompound(Encoding.MAP_32);
        int count = 0;
        int position = annotations;
        for (int i = 0; i < annotationCount / 2; i++) {
            int value = Encoding.skip(bytes, position, bare);
            int next = Encoding.skip(bytes, value, bare);
            if (!Encoding.textEquals(bytes, position, DUPLICATE_ID)) {
                copy(out, position, next);
                count += 2;
            }
            position = next;
        }
        if (key != null) {
            out.writeSymbol(DUPLICATE_ID);
            out.writeString(key);
            count += 2;
        }
        out.endCompound(start, count);
    }

    private void writeProperties(EncodingWriter out, String key) {
        out.section(Sections.APPLICATION_PROPERTIES);
        int start = out.beginCompound(Encoding.MAP_32);
        if (propertyCount > 0) {
            copy(out, firstProperty, body);
        }
        out.writeString(DUPLICATE_ID);
        out.writeString(key);
        out.endCompound(start, propertyCount + 2);
    }

    private void copy(EncodingWriter out, int from, int to) {
        out.writeEncoded(bytes, from, to - from);
    }
}
