package io.ringtable.client.internal.receive;

import io.ringtable.client.Address;
import io.ringtable.client.CloudEvent;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.internal.connection.Termini;
import io.ringtable.client.internal.encoding.CloudEventReader;
import io.ringtable.client.internal.encoding.EncodedMessage;
import io.ringtable.client.internal.error.Errors;
import io.ringtable.wire.RingtableSymbols;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Released;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import tools.jackson.core.JacksonException;

/** Shows a message that has arrived on one connection. Only the I/O thread touches the engine's delivery. */
final class Delivered implements ReceivedMessage {

    private static final AtomicIntegerFieldUpdater<Delivered> SETTLED =
            AtomicIntegerFieldUpdater.newUpdater(Delivered.class, "settled");

    private final ReceiverLink link;
    private final IncomingDelivery delivery;
    private final byte[] encoded;
    private final int generation;
    private final long arrival;
    private volatile int settled;
    // Written by the thread that settles before the message is queued for the I/O thread.
    private DeliveryState outcome;
    // Filled in on first use; any thread may do it, with the same result.
    private EncodedMessage message;
    private Header header;
    private Properties properties;
    private Map<String, Object> applicationProperties;

    Delivered(ReceiverLink link, IncomingDelivery delivery, byte[] encoded, int generation, long arrival) {
        this.link = link;
        this.delivery = delivery;
        this.encoded = encoded;
        this.generation = generation;
        this.arrival = arrival;
    }

    IncomingDelivery delivery() {
        return delivery;
    }

    int size() {
        return encoded.length;
    }

    int generation() {
        return generation;
    }

    DeliveryState outcome() {
        return outcome;
    }

    boolean isSettled() {
        return settled != 0;
    }

    /** Acknowledges without waking the I/O thread, which looks often enough by itself. */
    boolean acknowledgeLater() {
        return settle(Accepted.getInstance(), false);
    }

    @Override
    public boolean acknowledge() {
        return settle(Accepted.getInstance(), true);
    }

    @Override
    public boolean reject(String reason) {
        Objects.requireNonNull(reason, "reason");
        return settle(
                new Rejected().setError(new ErrorCondition(RingtableSymbols.REJECTED_BY_APPLICATION, reason)), true);
    }

    @Override
    public boolean release() {
        return settle(Released.getInstance(), true);
    }

    @Override
    public boolean fail() {
        return settle(Termini.FAILED, true);
    }

    private boolean settle(DeliveryState state, boolean soon) {
        if (!SETTLED.compareAndSet(this, 0, 1)) {
            return false;
        }
        outcome = state;
        return link.settle(this, soon);
    }

    @Override
    public Address address() {
        return link.address();
    }

    @Override
    public byte[] bytes() {
        return message().bytes();
    }

    @Override
    public String text() {
        return message().text();
    }

    @Override
    public <T> T json(Class<T> type) {
        try {
            return link.jsonMapper().readValue(message().bytes(), type);
        } catch (JacksonException unreadable) {
            throw Errors.body("it is no JSON of a " + type.getName(), unreadable);
        }
    }

    @Override
    public Object value() {
        return message().value();
    }

    @Override
    public Optional<CloudEvent> cloudEvent() {
        return CloudEventReader.read(contentType().orElse(null), properties(), this::bytes);
    }

    @Override
    public Optional<String> messageId() {
        return text(amqpProperties().getMessageId());
    }

    @Override
    public Optional<String> correlationId() {
        return text(amqpProperties().getCorrelationId());
    }

    @Override
    public Optional<String> subject() {
        return Optional.ofNullable(amqpProperties().getSubject());
    }

    @Override
    public Optional<String> replyTo() {
        return Optional.ofNullable(amqpProperties().getReplyTo());
    }

    @Override
    public Optional<String> contentType() {
        return text(amqpProperties().getContentType());
    }

    @Override
    public Optional<Instant> createdAt() {
        Properties known = amqpProperties();
        return known.hasCreationTime() ? Optional.of(Instant.ofEpochMilli(known.getCreationTime())) : Optional.empty();
    }

    @Override
    public Optional<String> groupId() {
        return Optional.ofNullable(amqpProperties().getGroupId());
    }

    @Override
    public Optional<DeadLetter> deadLetter() {
        return Optional.ofNullable(message().deadLetter());
    }

    /** Returns an id as text; ids may be strings, numbers, UUIDs or binaries. */
    private static Optional<String> text(Object id) {
        return id == null ? Optional.empty() : Optional.of(id.toString());
    }

    @Override
    public Map<String, Object> properties() {
        if (applicationProperties == null) {
            applicationProperties = message().applicationProperties();
        }
        return applicationProperties;
    }

    @Override
    public int priority() {
        return header().getPriority();
    }

    @Override
    public boolean isDurable() {
        return header().isDurable();
    }

    @Override
    public int deliveryCount() {
        return (int) Math.min(Integer.MAX_VALUE, header().getDeliveryCount() + 1);
    }

    @Override
    public boolean isRedelivered() {
        return header().getDeliveryCount() > 0;
    }

    @Override
    public String deliveryTag() {
        return new String(delivery.getTag().tagBytes(), StandardCharsets.UTF_8);
    }

    @Override
    public long arrival() {
        return arrival;
    }

    private EncodedMessage message() {
        if (message == null) {
            message = new EncodedMessage(encoded);
        }
        return message;
    }

    private Header header() {
        if (header == null) {
            Header found = message().header();
            header = found == null ? new Header() : found;
        }
        return header;
    }

    private Properties amqpProperties() {
        if (properties == null) {
            Properties found = message().properties();
            properties = found == null ? new Properties() : found;
        }
        return properties;
    }
}
