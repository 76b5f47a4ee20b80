package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.amqp.encoding.MessageFacts;
import io.ringtable.broker.dispatch.Parts;
import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.message.PartKey;
import io.ringtable.wire.MalformedMessage;

/**
 * Chooses the part of a queue for each message of one link: by its group or partition key, or else by its duplicate id.
 * Any other goes to the part of the link (ADR 58).
 * <p>
 * Thread: the connection's event loop.
 */
final class PartChoice {
    private final Parts parts;
    private final int ofLink;

    PartChoice(Parts parts) {
        this.parts = parts;
        this.ofLink = parts.ofNextLink();
    }

    /** Returns the place of the part that gets what has no key. */
    int ofLink() {
        return ofLink;
    }

    /**
     * Returns the place of the part of a message.
     *
     * @param facts of the message, which was read last
     * @param byMessageId whether the broker stores messages once by their message ids
     * @throws MalformedMessage if its key or id cannot be one
     */
    int of(MessageFacts facts, byte[] body, boolean byMessageId) throws MalformedMessage {
        String key = facts.orderKey(body);
        if (key != null) {
            return parts.indexOf(PartKey.of(key));
        }
        DuplicateId id = byMessageId ? facts.duplicateIdOrMessageId(body) : facts.duplicateId();
        return id == null ? ofLink : parts.indexOf(PartKey.of(id));
    }
}
