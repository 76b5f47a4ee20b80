package io.ringtable.spring;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.ringtable.client.Address;
import io.ringtable.client.Publisher;
import io.ringtable.client.PublisherOptions;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.RingtableException;
import io.ringtable.client.SubscriptionOptions;
import io.ringtable.client.jdbc.TransactionalPublisher;
import io.ringtable.spring.internal.Payloads;
import io.ringtable.spring.internal.SpringErrors;
import io.ringtable.spring.observation.RingtableObservation;
import io.ringtable.spring.observation.SendContext;
import io.ringtable.spring.observation.SendConvention;
import io.ringtable.spring.support.MessageMapper;
import io.ringtable.spring.support.RingtableMessageConverters;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.messaging.Message;
import org.springframework.messaging.converter.MessageConversionException;
import org.springframework.messaging.core.AbstractMessageSendingTemplate;

/**
 * Sends and receives messages in Spring's manner, over one {@link RingtableClient}.
 *
 * <pre>{@code
 * template.convertAndSend("queue://orders", new Order("book", 2));
 * template.convertAndSend("queue://orders", order, Map.of(RingtableHeaders.GROUP_ID, order.customer()));
 * }</pre>
 *
 * It keeps the publishers that it has opened, up to {@link #setPublisherCacheSize a bound}. Its settings are made
 * before it is used; then it is safe for any thread.
 */
public class RingtableTemplate extends AbstractMessageSendingTemplate<String>
        implements RingtableOperations, DisposableBean {

    /** The default bound of the publishers that a template keeps open. */
    public static final int PUBLISHER_CACHE_SIZE_DEFAULT = 100;

    /** The codes of publishers that take no more messages: closed, ended by the broker. */
    private static final Set<String> ENDED = Set.of("RT-5008", "RT-5023");

    /** The condition of a message to an address that was deleted while its publisher was open. */
    private static final String NOT_FOUND = "amqp:not-found";

    private static final SendConvention CONVENTION = new SendConvention();

    private final RingtableClient client;
    private PublisherCache publishers;
    private String producerId;
    private Duration sendTimeout;
    private TransactionalPublisher transactionalPublisher;
    private ObservationRegistry observations = ObservationRegistry.NOOP;

    public RingtableTemplate(RingtableClient client) {
        this.client = Objects.requireNonNull(client, "client");
        this.publishers = new PublisherCache(client, PUBLISHER_CACHE_SIZE_DEFAULT, this::options);
        setMessageConverter(RingtableMessageConverters.standard());
    }

    /**
     * Sets how many publishers to keep open, one for each address; default 100.
     *
     * @throws RingtableException RT-5040 if it is below 1
     */
    public void setPublisherCacheSize(int size) {
        if (size < 1) {
            throw SpringErrors.setting("publisherCacheSize=" + size + " < 1", "use 1 or more");
        }
        publishers = new PublisherCache(client, size, this::options);
    }

    /**
     * Has the broker store each message of this template once, even if it has to be sent several times: see
     * {@link PublisherOptions#producerId}. One template at a time uses an id. A second one ends the publishers of the
     * first (RT-5023), which does not open them again.
     *
     * @param id the same after a restart, such as host and number of the instance; null = none
     * @throws RingtableException RT-5001 if the id is blank, too long or has control characters
     */
    public void setProducerId(String id) {
        if (id != null) {
            PublisherOptions.queue("any").producerId(id); // refuses what would be refused at the first message
        }
        producerId = id;
    }

    /**
     * Sets how long {@code send} and {@code convertAndSend} wait for the broker's answer; default: the client's request
     * time-out.
     *
     * @throws RingtableException RT-5040 if it is not positive
     */
    public void setSendTimeout(Duration timeout) {
        if (timeout != null && (timeout.isZero() || timeout.isNegative())) {
            throw SpringErrors.setting("sendTimeout=" + timeout, "use a positive time, or null for the client's own");
        }
        sendTimeout = timeout;
    }

    /** Sets what {@link #convertAndSendInTransaction} publishes with; without one that method refuses. */
    public void setTransactionalPublisher(TransactionalPublisher publisher) {
        transactionalPublisher = publisher;
    }

    /** Tells whether {@link #convertAndSendInTransaction} has something to publish with. */
    public boolean hasTransactionalPublisher() {
        return transactionalPublisher != null;
    }

    /** Sets who observes the sending; default nobody. */
    public void setObservationRegistry(ObservationRegistry registry) {
        observations = Objects.requireNonNull(registry, "registry");
    }

    private PublisherOptions options(Address address) {
        PublisherOptions options = PublisherOptions.to(address);
        return producerId == null ? options : options.producerId(producerId);
    }

    /**
     * Returns the number of the last message that the broker has stored at the address for the producer id: see
     * {@link Publisher#lastPublishedNumber}.
     */
    public long lastPublishedNumber(String address) {
        return publishers.with(Address.of(address), Publisher::lastPublishedNumber);
    }

    @Override
    protected void doSend(String address, Message<?> message) {
        Address to = Address.of(address);
        var builder = MessageMapper.toMessage(message);
        observation(to, builder)
                .observe(() -> publishers.with(to, publisher -> {
                    try {
                        if (sendTimeout == null) {
                            publisher.publishAndWait(builder.build());
                        } else {
                            publisher.publishAndWait(builder.build(), sendTimeout);
                        }
                        return null;
                    } catch (RingtableException failure) {
                        forgetIfUseless(publisher, failure);
                        throw failure;
                    }
                }));
    }

    @Override
    public CompletableFuture<Void> sendAsync(String address, Object payload, Map<String, Object> headers) {
        Address to = Address.of(address);
        var builder = MessageMapper.toMessage(toMessage(payload, headers));
        Observation observation = observation(to, builder).start();
        try {
            CompletableFuture<Void> outcome = publishers.with(
                    to,
                    publisher -> publisher.publish(builder.build()).whenComplete((stored, failure) -> {
                        if (failure instanceof RingtableException known) {
                            forgetIfUseless(publisher, known);
                        }
                    }));
            return outcome.whenComplete((stored, failure) -> end(observation, failure));
        } catch (RuntimeException notHandedIn) {
            end(observation, notHandedIn);
            return CompletableFuture.failedFuture(notHandedIn);
        }
    }

    private static void end(Observation observation, Throwable failure) {
        if (failure != null) {
            observation.error(failure);
        }
        observation.stop();
    }

    /**
     * Lets the next message open another publisher if this one has ended, or if its address was deleted. A publisher
     * that lost its producer id to another one is not replaced, since that would take the id back.
     */
    private void forgetIfUseless(Publisher publisher, RingtableException failure) {
        boolean ended = ENDED.contains(failure.code()) && producerId == null;
        if (ended || failure.condition().filter(NOT_FOUND::equals).isPresent()) {
            publishers.forget(publisher);
        }
    }

    @Override
    public void convertAndSendInTransaction(String address, Object payload, Map<String, Object> headers) {
        if (transactionalPublisher == null) {
            throw SpringErrors.noTransactionalPublisher("a message for " + address);
        }
        Address to = Address.of(address);
        var builder = MessageMapper.toMessage(toMessage(payload, headers));
        observation(to, builder).observe(() -> transactionalPublisher.publish(to, builder.build()));
    }

    /** Converts the payload, also that of a Message, whose headers count where no others are given. */
    private Message<?> toMessage(Object payload, Map<String, Object> headers) {
        if (payload instanceof Message<?> message) {
            Map<String, Object> all = new HashMap<>(message.getHeaders());
            all.putAll(headers);
            return doConvert(message.getPayload(), all, null);
        }
        return doConvert(payload, headers, null);
    }

    private Observation observation(Address to, io.ringtable.client.Message.Builder builder) {
        return RingtableObservation.SEND.observation(
                null, CONVENTION, () -> new SendContext(to, builder), observations);
    }

    @Override
    public <T> Optional<T> receiveAndConvert(String address, Class<T> type, Duration timeout) {
        return receive(address, timeout, message -> {
            try {
                return Payloads.read(MessageMapper.fromMessage(message), type, getMessageConverter());
            } catch (MessageConversionException | RingtableException unreadable) {
                message.reject(String.valueOf(unreadable.getMessage()));
                throw unreadable;
            }
        });
    }

    @Override
    public <T> Optional<T> receive(
            String address, Duration timeout, Function<? super ReceivedMessage, ? extends T> action) {
        return receive(SubscriptionOptions.to(Address.of(address)), timeout, action);
    }

    @Override
    public <T> Optional<T> receive(
            SubscriptionOptions from, Duration timeout, Function<? super ReceivedMessage, ? extends T> action) {
        if (timeout.isZero() || timeout.isNegative()) {
            throw SpringErrors.setting("timeout=" + timeout, "use a positive time, as a message has a way to come");
        }
        // Only one message is asked for: another one would be away from other consumers until this one is closed.
        try (Receiver receiver = client.receiver(from.prefetch(1))) {
            Optional<ReceivedMessage> received = receiver.receive(timeout);
            return received.map(message -> {
                try {
                    T result = action.apply(message);
                    message.acknowledge();
                    return result;
                } catch (Throwable failure) {
                    message.fail();
                    throw failure;
                }
            });
        }
    }

    /** Counts the publishers that are open now. */
    public int openPublishers() {
        return publishers.count();
    }

    /** Closes the publishers once their messages are answered, at most for the client's close time-out. */
    @Override
    public void destroy() {
        publishers.close();
    }
}
