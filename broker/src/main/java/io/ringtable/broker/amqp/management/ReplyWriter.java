package io.ringtable.broker.amqp.management;

import io.ringtable.broker.management.ManagementAnswer;
import io.ringtable.broker.management.ManagementJson;
import io.ringtable.broker.management.Problem;
import io.ringtable.wire.Encoding;
import io.ringtable.wire.EncodingWriter;
import io.ringtable.wire.Sections;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import tools.jackson.core.JacksonException;

/**
 * Writes answers as messages: the status in the {@code subject}, JSON as a string in the body, so that JMS clients see
 * a text message. An answer without a body has a null there.
 * <p>
 * Thread: one at a time; reused from answer to answer.
 */
final class ReplyWriter {
    private static final int TOO_LARGE = 413;
    private static final int PROPERTIES = 10; // the first fields, up to the time of creation

    private final EncodingWriter writer = new EncodingWriter();

    /**
     * Writes an answer, or says in its place that it is too large.
     *
     * @param correlationId encoded
     * @param to null if the answer has none
     * @param bytesMax most bytes of the whole message; enough for an error
     * @throws JacksonException if the body cannot be written as JSON
     */
    byte[] write(ManagementAnswer answer, byte[] correlationId, String to, int bytesMax) {
        byte[] json = json(answer.body(), bytesMax);
        byte[] reply = json == null ? null : message(answer.status(), json, correlationId, to);
        if (reply == null || reply.length > bytesMax) {
            Problem problem = new Problem(
                    "RT-4393",
                    "the answer has more than " + bytesMax
                            + " bytes: ask for fewer items with limit, or for a single one");
            reply = message(TOO_LARGE, json(problem, Integer.MAX_VALUE), correlationId, to);
        }
        return reply;
    }

    /** Returns no bytes if there is no body; null if it has more bytes than allowed. */
    private static byte[] json(Object body, int most) {
        Bounded json = new Bounded(most);
        try {
            if (body != null) {
                ManagementJson.MAPPER.writeValue(json, body);
            }
            return json.bytes.toByteArray();
        } catch (JacksonException e) {
            if (json.full) {
                return null;
            }
            throw e;
        }
    }

    private byte[] message(int status, byte[] json, byte[] correlationId, String to) {
        writer.reset();
        writer.section(Sections.PROPERTIES);
        int properties = writer.beginCompound(Encoding.LIST_32);
        writer.writeNull(); // message-id
        writer.writeNull(); // user-id
        writer.writeValue(to);
        writer.writeString(Integer.toString(status));
        writer.writeNull(); // reply-to
        writer.writeEncoded(correlationId, 0, correlationId.length);
        if (json.length > 0) {
            writer.writeSymbol("application/json");
        } else {
            writer.writeNull();
        }
        writer.writeNull(); // content-encoding
        writer.writeNull(); // absolute-expiry-time
        writer.writeValue(Instant.now());
        writer.endCompound(properties, PROPERTIES);
        writer.section(Sections.VALUE);
        writer.writeValue(json.length > 0 ? new String(json, StandardCharsets.UTF_8) : null);
        return writer.toBytes();
    }

    /** Gathers bytes up to a bound. */
    private static final class Bounded extends OutputStream {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final int most;
        private boolean full;

        private Bounded(int most) {
            this.most = most;
        }

        @Override
        public void write(int value) throws IOException {
            require(1);
            bytes.write(value);
        }

        @Override
        public void write(byte[] values, int from, int length) throws IOException {
            require(length);
            bytes.write(values, from, length);
        }

        private void require(int more) throws IOException {
            if (more > most - bytes.size()) {
                full = true;
                throw new IOException("more than " + most + " bytes");
            }
        }
    }
}
