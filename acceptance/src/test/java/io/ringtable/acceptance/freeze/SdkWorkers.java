package io.ringtable.acceptance.freeze;

import io.ringtable.acceptance.harness.Pace;
import io.ringtable.client.AcknowledgeMode;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.PublisherOptions;
import io.ringtable.client.Reconnect;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.Subscription;
import io.ringtable.client.SubscriptionOptions;
import java.time.Duration;
import java.util.List;

/** The SDK with the addresses of all nodes. */
public final class SdkWorkers {
    private static final Duration PAUSE = Duration.ofMillis(10); // between messages
    private static final int PREFETCH = 50;
    private static final Duration REQUEST = Duration.ofSeconds(30);
    private static final Duration IDLE = Duration.ofSeconds(3); // a node that stands still is left

    private SdkWorkers() {}

    private static RingtableClient connect(List<Integer> ports, String id) {
        return RingtableClient.builder()
                .uris(ports.stream().map(port -> "amqp://127.0.0.1:" + port).toList())
                .clientId(id)
                .name(id)
                .waitForBroker(REQUEST)
                .requestTimeout(REQUEST)
                .publishTimeout(REQUEST)
                .idleTimeout(IDLE)
                .connectTimeout(IDLE)
                .reconnect(Reconnect.DEFAULT.firstDelay(Duration.ofMillis(20)).longestDelay(Duration.ofMillis(200)))
                .connect();
    }

    /** Publishes and waits for each outcome, under a producer id: what is sent again is stored once. */
    public static final class WaitingPublisher extends Worker {
        private final List<Integer> ports;
        private final Account account;
        private final PublisherOptions options;
        private final String address;
        private int number;

        public WaitingPublisher(List<Integer> ports, Account account, PublisherOptions options) {
            super("sdk-publisher-" + options.address().name());
            this.ports = ports;
            this.account = account;
            this.address = options.address().name();
            this.options = options.producerId("sdk-publisher-" + address);
        }

        @Override
        protected void work() {
            try (RingtableClient client = connect(ports, "sdk-publisher-" + address);
                    Publisher publisher = client.publisher(options)) {
                while (goesOn()) {
                    String id = "sdk/" + address + "/" + number++;
                    account.sending(address, id);
                    publisher.publishAndWait(Message.text(id));
                    account.accepted(id);
                    Pace.pass(PAUSE);
                }
            }
        }
    }

    /** Publishes without waiting, under a producer id: the SDK sends again what has no outcome, by its numbers. */
    public static final class NumberedPublisher extends Worker {
        private final List<Integer> ports;
        private final Account account;
        private final PublisherOptions options;
        private final String address;
        private int number;

        public NumberedPublisher(List<Integer> ports, Account account, PublisherOptions options) {
            super("sdk-numbered-" + options.address().name());
            this.ports = ports;
            this.account = account;
            this.address = options.address().name();
            this.options = options.producerId("sdk-numbered-" + address);
        }

        @Override
        protected void work() {
            try (RingtableClient client = connect(ports, "sdk-numbered-" + address);
                    Publisher publisher = client.publisher(options)) {
                while (goesOn()) {
                    String id = "sdk-numbered/" + address + "/" + number++;
                    account.sending(address, id);
                    publisher.publish(Message.text(id)).thenRun(() -> account.accepted(id));
                    Pace.pass(PAUSE);
                }
            }
        }
    }

    /** Takes messages as they are pushed and acknowledges each; the SDK does not wait for the broker's word. */
    public static final class PushConsumer extends Worker {
        private final List<Integer> ports;
        private final Account account;
        private final SubscriptionOptions options;
        private final String reader;
        private final String name;

        public PushConsumer(List<Integer> ports, Account account, String name, SubscriptionOptions options) {
            super(name);
            this.name = name;
            this.ports = ports;
            this.account = account;
            this.options = options.acknowledge(AcknowledgeMode.MANUAL).prefetch(PREFETCH);
            this.reader = options.durableName().orElse(options.address().name());
        }

        @Override
        protected void work() {
            try (RingtableClient client = connect(ports, name);
                    Subscription subscription = client.subscribe(options, message -> {
                        account.arrived(reader, name, message.text(), message.isRedelivered());
                        message.acknowledge();
                    })) {
                account.reads(reader, options.address().name());
                awaitEndOr(subscription.closed());
            }
        }
    }
}
