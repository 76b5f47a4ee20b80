package io.ringtable.broker.amqp.encoding;

import io.ringtable.broker.dispatch.consumer.LetterOrigin;
import io.ringtable.broker.dispatch.consumer.MessageFormat;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.wire.MalformedMessage;

/** Reads and changes encoded AMQP messages for the dispatcher. Thread: any. */
public final class AmqpMessageFormat implements MessageFormat {
    private final AmqpDeadLetterEncoder deadLetters = new AmqpDeadLetterEncoder();
    private final ThreadLocal<MessageFacts> facts;

    /** @param traces decides which sampled messages are recorded */
    public AmqpMessageFormat(MessageTraces traces) {
        this.facts = ThreadLocal.withInitial(() -> new MessageFacts(traces));
    }

    @Override
    public Facts facts(byte[] encoded) {
        try {
            MessageFacts read = facts.get().readStored(encoded);
            return Facts.of(read.group(), read.traceAt());
        } catch (MalformedMessage e) {
            return Facts.NONE; // cannot happen: the broker checks every message before it stores it
        }
    }

    @Override
    public String orderKey(byte[] encoded) {
        try {
            return facts.get().readStored(encoded).orderKey(encoded);
        } catch (MalformedMessage e) {
            return null; // the message was published to an address with one part, where its key does not count
        }
    }

    @Override
    public byte[] deadLetter(
            byte[] encoded,
            String address,
            String clientId,
            String subscription,
            String reason,
            int failures,
            long at) {
        return deadLetters.deadLetter(encoded, address, clientId, subscription, reason, failures, at);
    }

    @Override
    public LetterOrigin origin(byte[] encoded) {
        return DeadLetterOrigin.letter(encoded);
    }

    @Override
    public byte[] revived(byte[] letter) {
        return deadLetters.revived(letter);
    }
}
