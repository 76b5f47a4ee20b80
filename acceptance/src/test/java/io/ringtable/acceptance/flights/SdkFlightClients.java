package io.ringtable.acceptance.flights;

import static org.awaitility.Awaitility.await;

import io.ringtable.client.AcknowledgeMode;
import io.ringtable.client.Address;
import io.ringtable.client.ClientListener;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.Receiver;
import io.ringtable.client.Reconnect;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.RingtableException;
import io.ringtable.client.Subscription;
import io.ringtable.client.SubscriptionOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Drives the SDK, which reconnects and resends by itself. A message without an outcome when a connection was lost may
 * be stored twice, and the accounts are told how often. Subscription 0 is pushed and acknowledged when its handler
 * returns, the others are pulled and acknowledged by hand.
 */
final class SdkFlightClients implements FlightClients {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final Duration TICK = Duration.ofMillis(200);

    private final FlightAccounts accounts;
    private final FlightRows rows;
    private final String url;

    SdkFlightClients(FlightAccounts accounts, FlightRows rows, String url) {
        this.accounts = accounts;
        this.rows = rows;
        this.url = url;
    }

    @Override
    public void publish(int publisher, int from, int before) {
        ClientListener listener = new ClientListener() {
            @Override
            public void disconnected(String uri, RingtableException cause) {
                accounts.connectionLost(publisher);
            }
        };
        try (RingtableClient client = connect("writer-" + publisher, listener);
                Publisher topic = client.publisher(Address.topic(TOPIC))) {
            CompletableFuture<?> all = CompletableFuture.completedFuture(null);
            for (int row = from; row < before; row = accounts.after(row)) {
                all = CompletableFuture.allOf(all, publish(topic, row));
            }
            all.orTimeout(LONG.toSeconds(), TimeUnit.SECONDS).join();
        }
    }

    private CompletableFuture<Void> publish(Publisher topic, int row) {
        int attempt = accounts.sending(row);
        Message message = Message.builder()
                .text(rows.text(row))
                .property(ROW, row)
                .property(ATTEMPT, attempt)
                .build();
        return topic.publish(message).whenComplete((stored, failure) -> {
            if (failure == null) {
                accounts.accepted(row);
            } else {
                accounts.rejected(row, failure.toString());
            }
        });
    }

    @Override
    public void subscribe(int subscription) {
        try (RingtableClient client = connect(reader(subscription), ClientListener.NONE)) {
            client.receiver(options(subscription)).close();
        }
    }

    @Override
    public void receive(int subscription, BooleanSupplier done) {
        try (RingtableClient client = connect(reader(subscription), ClientListener.NONE)) {
            if (subscription == 0) {
                push(client, done);
            } else {
                pull(client, subscription, done);
            }
        }
    }

    private void push(RingtableClient client, BooleanSupplier done) {
        SubscriptionOptions options = options(0).acknowledge(AcknowledgeMode.AUTO);
        try (Subscription pushed = client.subscribe(options, message -> arrived(0, message))) {
            await().forever().pollInterval(TICK).until(() -> done.getAsBoolean() || !pushed.isOpen());
        }
    }

    private void pull(RingtableClient client, int subscription, BooleanSupplier done) {
        try (Receiver receiver = client.receiver(options(subscription))) {
            while (!done.getAsBoolean()) {
                receiver.receive(TICK).ifPresent(message -> {
                    arrived(subscription, message);
                    message.acknowledge();
                });
            }
        }
    }

    private void arrived(int subscription, ReceivedMessage message) {
        accounts.arrived(
                subscription,
                ((Number) message.property(ROW)).intValue(),
                ((Number) message.property(ATTEMPT)).intValue(),
                message.isRedelivered(),
                message.text());
    }

    private RingtableClient connect(String clientId, ClientListener listener) {
        return RingtableClient.builder()
                .uri(url)
                .clientId(clientId)
                .name(clientId)
                .waitForBroker(LONG)
                .requestTimeout(LONG)
                .publishTimeout(LONG)
                .reconnect(Reconnect.DEFAULT.firstDelay(Duration.ofMillis(50)).longestDelay(Duration.ofMillis(500)))
                .listener(listener)
                .connect();
    }

    private static SubscriptionOptions options(int subscription) {
        return SubscriptionOptions.topic(TOPIC).durable("flights-" + subscription);
    }

    private static String reader(int subscription) {
        return "reader-" + subscription;
    }
}
