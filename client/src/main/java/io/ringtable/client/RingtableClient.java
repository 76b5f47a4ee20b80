package io.ringtable.client;

import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;

/**
 * Connects to a Ringtable broker, and comes back by itself with its publishers and subscriptions.
 *
 * <pre>{@code
 * try (RingtableClient client = RingtableClient.connect("amqp://localhost:5672");
 *         Publisher orders = client.publisher("queue://orders")) {
 *     client.subscribe("queue://orders", message -> System.out.println(message.text()));
 *     orders.publishAndWait(Message.text("one book, please"));
 * }
 * }</pre>
 *
 * One client per application is enough: it is safe for any thread and uses one I/O thread and one connection. After a
 * lost connection the client tries its URIs in turn, with growing delays. Publishers send unanswered messages again,
 * and subscriptions subscribe again.
 */
public interface RingtableClient extends AutoCloseable {

    /**
     * Connects with the defaults of {@link #builder()}.
     *
     * @param uris one or more, tried in turn, for example {@code amqp://localhost:5672} or {@code amqps://broker}
     * @throws RingtableException as {@link ClientBuilder#connect()}
     */
    static RingtableClient connect(String... uris) {
        return builder().uris(uris).connect();
    }

    /**
     * Begins a client with default settings. The builder comes from the implementation, which the class loader of this
     * interface finds as a service.
     *
     * @throws RingtableException RT-5009 if there is none, as in a jar that lost parts when it was repackaged
     */
    static ClientBuilder builder() {
        try {
            return ServiceLoader.load(ClientBuilder.class, RingtableClient.class.getClassLoader())
                    .findFirst()
                    .orElseThrow(() -> RingtableException.noImplementation(null));
        } catch (ServiceConfigurationError damaged) {
            throw RingtableException.noImplementation(damaged);
        }
    }

    /**
     * Opens a {@link #publisher(Address)} to {@code queue://name}, {@code topic://name} or the plain name of a queue.
     */
    default Publisher publisher(String address) {
        return publisher(Address.of(address));
    }

    /** Opens a {@link #publisher(PublisherOptions)} with the defaults of {@link PublisherOptions}. */
    default Publisher publisher(Address address) {
        return publisher(PublisherOptions.to(address));
    }

    /**
     * Opens a publisher; waits, at most for the request time-out, until the broker has agreed.
     *
     * @throws RingtableException RT-5020 with the broker's condition if the broker refuses the address or the producer
     *     id
     * @throws RingtableException RT-5021 if there was no answer in time (the connection may be down)
     * @throws RingtableException RT-5016 if there is a producer id and the broker cannot store messages once
     * @throws RingtableException RT-5008 if the client is or gets closed
     */
    Publisher publisher(PublisherOptions options);

    /**
     * Subscribes as {@link #subscribe(SubscriptionOptions, MessageHandler)}, with the defaults of {@link
     * SubscriptionOptions}.
     */
    default Subscription subscribe(String address, MessageHandler handler) {
        return subscribe(SubscriptionOptions.to(Address.of(address)), handler);
    }

    /**
     * Starts pushing messages to the handler; waits, at most for the request time-out, until the broker has agreed.
     *
     * @throws RingtableException RT-5020 with the broker's condition if the broker refuses
     * @throws RingtableException RT-5022 if the subscription is durable and the client has no id
     * @throws RingtableException RT-5021 if there was no answer in time
     * @throws RingtableException RT-5008 if the client is or gets closed
     */
    Subscription subscribe(SubscriptionOptions options, MessageHandler handler);

    /** Opens a {@link #receiver(SubscriptionOptions)} with the defaults of {@link SubscriptionOptions}. */
    default Receiver receiver(String address) {
        return receiver(SubscriptionOptions.to(Address.of(address)));
    }

    /**
     * Opens a subscription from which the application takes messages one by one; waits and fails as
     * {@link #subscribe(SubscriptionOptions, MessageHandler)}.
     */
    Receiver receiver(SubscriptionOptions options);

    /**
     * Deletes a durable subscription of this client's id with everything that is stored for it; waits at most for the
     * request time-out.
     *
     * @throws RingtableException RT-5020 with {@code amqp:not-found} if none has this name
     * @throws RingtableException RT-5020 with the broker's condition if the broker refuses, as while it is in use
     * @throws RingtableException RT-5021 if there was no answer in time
     * @throws RingtableException RT-5022 if the client has no id
     * @throws RingtableException RT-5008 if the client is or gets closed
     */
    void unsubscribe(String durableName);

    /**
     * Deletes a subscription that was made with {@link SubscriptionOptions#sharedDurable}, by any client, with
     * everything that is stored for it. Waits and fails as {@link #unsubscribe}, but needs no client id.
     */
    void unsubscribeShared(String durableName);

    /**
     * Deletes a stored queue or topic that is not in use; waits at most for the request time-out. A publisher that
     * names it afterwards is refused, or creates it anew.
     *
     * @throws RingtableException RT-5020 with {@code amqp:not-found} if there is no such address
     * @throws RingtableException RT-5020 with {@code amqp:resource-locked} while links are attached, messages are owed
     *     or it has durable subscriptions
     * @throws RingtableException RT-5018 if the broker cannot delete addresses
     * @throws RingtableException RT-5021 if there was no answer in time
     * @throws RingtableException RT-5008 if the client is or gets closed
     */
    void delete(Address address);

    /**
     * Deletes the address even while it is in use. Its messages and durable subscriptions go with it, and its consumers
     * are closed.
     */
    void deleteEvenIfUsed(Address address);

    boolean isConnected();

    ClientStatistics statistics();

    /**
     * Returns a future that completes when the client is closed, or fails with the cause if the client gave up. The
     * client's I/O thread completes it.
     */
    CompletableFuture<Void> closed();

    /**
     * Closes subscriptions, receivers and publishers as their {@code close()} methods do, with one close time-out for
     * all, then the connection. Messages that are not answered by then fail with RT-5008. Closing again does nothing.
     */
    @Override
    void close();
}
