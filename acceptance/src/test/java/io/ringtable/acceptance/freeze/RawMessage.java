package io.ringtable.acceptance.freeze;

import io.ringtable.acceptance.harness.AmqpFrames;
import java.nio.charset.StandardCharsets;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.Section;

/** Holds the facts that an account needs of a message from a raw connection. */
record RawMessage(String id, boolean redelivered) {
    private static final AmqpFrames FRAMES = new AmqpFrames();

    /** @param payload the sections of a whole message; its body is its id */
    static RawMessage of(byte[] payload) {
        String id = null;
        boolean redelivered = false;
        for (Section<?> section : FRAMES.sections(payload)) {
            if (section instanceof Header header) {
                redelivered = header.getDeliveryCount() > 0;
            } else if (section instanceof Data data) {
                id = new String(data.getBinary().asByteArray(), StandardCharsets.UTF_8);
            } else if (section instanceof AmqpValue<?> value) {
                id = value.getValue().toString();
            }
        }
        if (id == null) {
            throw new IllegalStateException("a message without a body");
        }
        return new RawMessage(id, redelivered);
    }
}
