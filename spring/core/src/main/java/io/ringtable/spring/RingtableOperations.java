package io.ringtable.spring;

import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.RingtableException;
import io.ringtable.client.SubscriptionOptions;
import io.ringtable.spring.support.RingtableHeaders;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.springframework.messaging.Message;
import org.springframework.messaging.core.MessageSendingOperations;

/**
 * Sends and receives messages; {@link RingtableTemplate} does so.
 * <p>
 * Addresses are {@code queue://orders}, {@code topic://prices} or the plain name of a queue. The inherited methods
 * {@code send} and {@code convertAndSend} return when the broker has stored the message durably. Without a named
 * address they use the default one.
 * <p>
 * The SDK's errors come through as {@link RingtableException}. A payload that no message converter takes is Spring's
 * {@link org.springframework.messaging.converter.MessageConversionException}.
 */
public interface RingtableOperations extends MessageSendingOperations<String> {

    /** Sends as {@link #sendAsync(String, Object, Map)}, without headers. */
    default CompletableFuture<Void> sendAsync(String address, Object payload) {
        return sendAsync(address, payload, Map.of());
    }

    /**
     * Converts and sends without waiting for the broker's answer. May block while too many messages are in flight, and
     * when it opens the publisher of the address.
     *
     * @param payload what to send; of a Spring {@link Message} its payload, with its headers beside these
     * @param headers names of {@link RingtableHeaders} are fields of the message, others application properties
     * @return completes when the broker has stored the message durably, on the client's I/O thread; fails as
     *     {@link io.ringtable.client.Publisher#publish}
     * @throws org.springframework.messaging.converter.MessageConversionException if no converter takes the payload
     * @throws RingtableException RT-5014 or RT-5040 if a header has a type that it cannot have
     */
    CompletableFuture<Void> sendAsync(String address, Object payload, Map<String, Object> headers);

    /** Sends as {@link #convertAndSendInTransaction(String, Object, Map)}, without headers. */
    default void convertAndSendInTransaction(String address, Object payload) {
        convertAndSendInTransaction(address, payload, Map.of());
    }

    /**
     * Converts and sends inside the database transaction of the calling thread: subscribers see the message once it has
     * committed, and never if it rolls back. The broker must store in the same database.
     *
     * @param payload what to send; of a Spring {@link Message} its payload, with its headers beside these
     * @throws RingtableException RT-5043 if no transactional publisher is set
     * @throws RingtableException RT-5025 if the thread is in no transaction on its data source; the call never sends
     *     outside of a transaction
     * @throws RingtableException RT-5026 if the database does not take the message
     */
    void convertAndSendInTransaction(String address, Object payload, Map<String, Object> headers);

    /**
     * Receives one message and acknowledges it once it is converted. A message that cannot be converted goes to the
     * dead letters. An application that must not lose a message when it dies uses {@link #receive} instead.
     *
     * @param timeout how long to wait for a message after the broker has agreed; above zero
     * @return empty after the time-out
     * @throws org.springframework.messaging.converter.MessageConversionException if it could not be converted
     */
    <T> Optional<T> receiveAndConvert(String address, Class<T> type, Duration timeout);

    /** Receives as {@link #receive(SubscriptionOptions, Duration, Function)} from a queue, or a topic from now on. */
    <T> Optional<T> receive(String address, Duration timeout, Function<? super ReceivedMessage, ? extends T> action);

    /**
     * Receives one message and acknowledges it when the action returns. If the action throws, the message has failed
     * and comes again, and the exception goes on to the caller. The first settlement counts, so the action may settle
     * the message itself.
     *
     * @param from where to receive; its concurrency, prefetch and mode of acknowledgement mean nothing here
     * @param timeout how long to wait for a message after the broker has agreed; above zero
     * @return what the action returned; empty after the time-out, and if it returned null
     */
    <T> Optional<T> receive(
            SubscriptionOptions from, Duration timeout, Function<? super ReceivedMessage, ? extends T> action);
}
