package io.ringtable.benchmarks.endtoend.driver;

import io.ringtable.client.Address;
import io.ringtable.client.ClientBuilder;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.Subscription;
import io.ringtable.client.SubscriptionOptions;
import java.util.function.Consumer;

/** Drives Ringtable's own client with its defaults. */
public final class SdkDriver implements Driver {
    private final String uri;
    private final ClientSetup setup;

    public SdkDriver(int port, ClientSetup setup) {
        this.uri = "amqp://127.0.0.1:" + port;
        this.setup = setup;
    }

    private static Address resolve(Destination destination) {
        return destination.topic() ? Address.topic(destination.name()) : Address.queue(destination.name());
    }

    @Override
    public Sender sender(Destination to) {
        RingtableClient client = builder().connect();
        Publisher publisher = client.publisher(resolve(to));
        return new Sender() {
            @Override
            public void send(byte[] body, Runnable accepted) {
                publisher.publish(message(body)).thenRun(accepted);
            }

            @Override
            public void sendAndWait(byte[] body) {
                publisher.publishAndWait(message(body));
            }

            @Override
            public void close() {
                client.close();
            }
        };
    }

    @Override
    public Receiver receiver(Destination from, String durableName, Consumer<byte[]> onMessage) {
        RingtableClient client = connect(durableName);
        Subscription subscription =
                client.subscribe(options(from, durableName), message -> onMessage.accept(message.bytes()));
        return () -> {
            subscription.close();
            client.close();
        };
    }

    @Override
    public Receiver stalled(Destination from, String durableName) {
        RingtableClient client = connect(durableName);
        io.ringtable.client.Receiver receiver = client.receiver(options(from, durableName));
        return () -> {
            receiver.close();
            client.close();
        };
    }

    private ClientBuilder builder() {
        ClientBuilder builder = RingtableClient.builder().uris(uri);
        return setup.user() == null ? builder : builder.user(setup.user(), setup::password);
    }

    private Message message(byte[] body) {
        String traceparent = setup.nextTraceparent();
        return traceparent == null
                ? Message.bytes(body)
                : Message.builder()
                        .bytes(body)
                        .property(ClientSetup.TRACEPARENT, traceparent)
                        .build();
    }

    private RingtableClient connect(String durableName) {
        return builder()
                .clientId("bench-" + (durableName == null ? System.nanoTime() : durableName))
                .connect();
    }

    private static SubscriptionOptions options(Destination from, String durableName) {
        SubscriptionOptions options = SubscriptionOptions.to(resolve(from));
        return durableName == null ? options : options.durable(durableName);
    }
}
