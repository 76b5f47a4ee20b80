package io.ringtable.broker.amqp.encoding;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.qpid.protonj2.types.Symbol;

/**
 * One transfer that carries many messages: message format {@value #CODE}, one data section for each encoded message,
 * nothing else.
 * <p>
 * Thread: any; holds nothing.
 */
public final class BatchFormat {
    /** The message format of such a transfer (AMQP 1.0 section 2.8.11). */
    public static final int CODE = 0x80013700;

    /** Offered by brokers that take it. */
    public static final Symbol CAPABILITY = Symbol.valueOf("RINGTABLE_BATCH");

    public static final int MESSAGES_MAX = 4096;

    private BatchFormat() {}

    /** The messages in their order, each in an array of its own. */
    public static List<byte[]> split(byte[] batch) throws MalformedMessage {
        List<byte[]> messages = new ArrayList<>();
        Sections sections = new Sections().over(batch, 0, batch.length);
        while (sections.advance()) {
            if (sections.code != Sections.DATA) {
                throw new MalformedMessage("a batch has data sections only, not 0x" + Integer.toHexString(sections.code)
                        + " at byte " + sections.start);
            }
            if (messages.size() == MESSAGES_MAX) {
                throw new MalformedMessage("a batch holds at most " + MESSAGES_MAX + " messages");
            }
            messages.add(Arrays.copyOfRange(batch, sections.first(), sections.next));
        }
        if (messages.isEmpty()) {
            throw new MalformedMessage("a batch without a message");
        }
        return messages;
    }
}
