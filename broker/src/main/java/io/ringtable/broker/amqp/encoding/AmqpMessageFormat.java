package io.ringtable.broker.amqp.encoding;

import io.ringtable.broker.dispatch.consumer.MessageFormat;
import io.ringtable.broker.message.MessageGroup;
import io.ringtable.wire.MalformedMessage;

/** Reads and changes encoded AMQP messages for the dispatcher. Thread: any. */
public final class AmqpMessageFormat implements MessageFormat {
    private final AmqpDeadLetterEncoder deadLetters = new AmqpDeadLetterEncoder();
    private final ThreadLocal<MessageFacts> facts = ThreadLocal.withInitial(MessageFacts::new);

    @Override
    public MessageGroup group(byte[] encoded) {
        try {
            return facts.get().readStored(encoded).group();
        } catch (MalformedMessage e) {
            return null; // cannot happen: the broker checks every message before it stores it
        }
    }

    @Override
    public byte[] deadLetter(
            byte[] encoded, String address, String subscription, String reason, int failures, long at) {
        return deadLetters.deadLetter(encoded, address, subscription, reason, failures, at);
    }
}
