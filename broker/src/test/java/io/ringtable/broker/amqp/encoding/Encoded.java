package io.ringtable.broker.amqp.encoding;

import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.ProtonBufferAllocator;
import org.apache.qpid.protonj2.codec.CodecFactory;
import org.apache.qpid.protonj2.codec.Decoder;
import org.apache.qpid.protonj2.codec.Encoder;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Section;

/** Messages as other AMQP code writes and reads them. */
public final class Encoded {
    private Encoded() {}

    public static byte[] message(Section<?>... sections) {
        Encoder encoder = CodecFactory.getDefaultEncoder();
        ProtonBuffer buffer = ProtonBufferAllocator.defaultAllocator().allocate();
        for (Section<?> section : sections) {
            encoder.writeObject(buffer, encoder.newEncoderState(), section);
        }
        byte[] bytes = new byte[buffer.getReadableBytes()];
        buffer.readBytes(bytes, 0, bytes.length);
        return bytes;
    }

    public static byte[] text(String body) {
        return message(new Data(body.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
    }

    public static List<Section<?>> sections(byte[] encoded) {
        Decoder decoder = CodecFactory.getDefaultDecoder();
        ProtonBuffer buffer = ProtonBufferAllocator.defaultAllocator().copy(encoded);
        List<Section<?>> sections = new ArrayList<>();
        while (buffer.isReadable()) {
            sections.add((Section<?>) decoder.readObject(buffer, decoder.newDecoderState()));
        }
        return sections;
    }

    /** The section of that type, null if there is none. */
    public static <T> T section(byte[] encoded, Class<T> type) {
        return sections(encoded).stream()
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst()
                .orElse(null);
    }
}
