package io.ringtable.broker.inspect;

import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.PublisherLogin;
import io.ringtable.broker.message.Refusal;
import java.util.function.LongSupplier;

/**
 * Decodes messages for people, and encodes what they write; the AMQP layer knows how.
 * <p>
 * Thread: one at a time. Failure: bytes that cannot be decoded are shown as they are; decoding never throws.
 */
public interface MessageCodec {

    /**
     * Decodes a message.
     *
     * @param bodyMax most bytes of the body that are shown
     */
    DecodedMessage decode(byte[] encoded, int bodyMax);

    /**
     * Makes a new message.
     *
     * @param login of the administrator who wrote the draft
     * @param now ms since the epoch
     * @param bodyIds gives an id to a body that is too large for a slot
     * @param inlineBytesMax the largest body that fits into a slot
     * @throws Refusal.Refused if the draft cannot be encoded
     */
    Message write(
            MessageDraft draft, Address to, PublisherLogin login, long now, LongSupplier bodyIds, int inlineBytesMax);

    /**
     * Makes a copy with parts replaced. The copy does not expire unless the draft says so, and has no duplicate id.
     * Everything else stays, the annotations of a dead letter included.
     *
     * @param encoded the message as it came
     * @param login of the administrator who wrote the changes: the copy is published by it, and not by the original's
     * @throws Refusal.Refused if the draft cannot be encoded
     */
    Message copy(
            byte[] encoded,
            MessageDraft changes,
            Address to,
            PublisherLogin login,
            long now,
            LongSupplier bodyIds,
            int inlineBytesMax);
}
