package io.ringtable.wire;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.qpid.protonj2.types.Symbol;

/**
 * Packs many messages into one transfer of message format {@value #CODE}, and unpacks them. Such a transfer has one
 * data section for each encoded message, and nothing else.
 * <p>
 * Thread: any; holds nothing.
 */
public final class BatchFormat {
    /** The message format of such a transfer (AMQP 1.0 section 2.8.11). */
    public static final int CODE = 0x80013700;

    /** The capability that brokers offer if they take such transfers, and that clients desire. */
    public static final Symbol CAPABILITY = Symbol.valueOf("RINGTABLE_BATCH");

    /** The most messages of one transfer; the broker reserves as many slots. */
    public static final int MESSAGES_MAX = 4096;

    /** The most bytes around each message: the data section's descriptor, constructor and length. */
    public static final int FRAMING_BYTES = 3 + 1 + 4;

    private BatchFormat() {}

    /** Appends a message to a batch. */
    public static void add(EncodingWriter batch, byte[] message) {
        batch.section(Sections.DATA);
        batch.writeBinary(message);
    }

    /** Returns the messages in their order, each in an array of its own. */
    public static List<byte[]> split(byte[] batch) throws MalformedMessage {
        List<byte[]> messages = new ArrayList<>();
        Sections sections = new Sections().over(batch, 0, batch.length);
        while (sections.advance()) {
            if (sections.code() != Sections.DATA) {
                throw new MalformedMessage("a batch has data sections only, not 0x"
                        + Integer.toHexString(sections.code()) + " at byte " + sections.start());
            }
            if (messages.size() == MESSAGES_MAX) {
                throw new MalformedMessage("a batch holds at most " + MESSAGES_MAX + " messages");
            }
            messages.add(Arrays.copyOfRange(batch, sections.first(), sections.next()));
        }
        if (messages.isEmpty()) {
            throw new MalformedMessage("a batch without a message");
        }
        return messages;
    }
}
