package io.ringtable.broker.amqp.encoding;

import io.ringtable.wire.Encoding;
import io.ringtable.wire.MalformedMessage;
import io.ringtable.wire.Sections;

/**
 * Finds the message annotation {@code x-opt-partition-key}, as Azure Event Hubs and Service Bus have it. Its value is
 * read when somebody asks: only addresses with parts act on it.
 * <p>
 * Thread: one at a time; one instance for message after message.
 */
final class PartitionKey {
    static final byte[] NAME = Sections.ascii("x-opt-partition-key");

    private static final int ABSENT = -1;

    private final LastText last = new LastText();
    private int at = ABSENT; // where the value begins

    void reset() {
        at = ABSENT;
    }

    /** Hears where the value begins. */
    void found(int value) {
        at = value;
    }

    /**
     * Returns the key; null if the message has none.
     *
     * @param bytes the message
     * @throws MalformedMessage if the value is no string
     */
    String read(byte[] bytes) throws MalformedMessage {
        if (at == ABSENT || (bytes[at] & 0xff) == Encoding.NULL) {
            return null;
        }
        String key = last.read(bytes, at);
        if (key == null) {
            throw new MalformedMessage(
                    "RT-4527",
                    "annotation x-opt-partition-key is of type 0x" + Integer.toHexString(bytes[at] & 0xff)
                            + ", and the queue has parts, of which the key chooses one: give it a string");
        }
        return key;
    }
}
