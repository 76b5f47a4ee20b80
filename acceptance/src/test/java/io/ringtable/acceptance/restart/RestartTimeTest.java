package io.ringtable.acceptance.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.RawAmqp;
import io.ringtable.client.Address;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.RingtableClient;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.types.transport.Transfer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** 1,000,000 owed messages in a heap of 512 MB; {@code acceptance/restart.sh} runs it. */
@Tag("slow")
class RestartTimeTest {
    private static final int OWED = Integer.getInteger("restart.owed", 1_000_000);
    private static final int STARTS = Integer.getInteger("restart.starts", 5);
    private static final int BODY_BYTES = 300;
    private static final double LATER_MOST_S = 1.5;
    private static final Duration START_MAX = Duration.ofSeconds(90);
    private static final String[] JVM = {"-Xmx512m"};

    @RegisterExtension
    final Bench bench = new Bench();

    @Test
    void theFirstDeliveryComesSoonAfterAStart() {
        BrokerProcess empty =
                bench.broker(settings -> settings.jvm(JVM).withDefaultRing()).start();
        BrokerProcess full =
                bench.broker(settings -> settings.jvm(JVM).withDefaultRing()).start();
        publish(empty, 1);
        publish(full, OWED);
        empty.stop();
        full.stop();

        List<Double> emptySeconds = new ArrayList<>();
        List<Double> fullSeconds = new ArrayList<>();
        for (int start = 0; start < STARTS; start++) {
            emptySeconds.add(secondsToFirstDelivery(empty));
            fullSeconds.add(secondsToFirstDelivery(full));
        }

        String seconds = String.format(
                "first delivery after a start, median of %d: %.2f s with one message, %.2f s with %,d%n%s%n%s",
                STARTS, median(emptySeconds), median(fullSeconds), OWED, emptySeconds, fullSeconds);
        System.out.println(seconds);
        assertThat(median(fullSeconds) - median(emptySeconds)).as(seconds).isLessThanOrEqualTo(LATER_MOST_S);
    }

    private static void publish(BrokerProcess broker, int count) {
        Message message = Message.bytes(new byte[BODY_BYTES]);
        try (RingtableClient client = RingtableClient.connect(broker.amqpUrl());
                Publisher publisher = client.publisher(Address.queue("orders"))) {
            CompletableFuture<Void> last = CompletableFuture.completedFuture(null);
            for (int n = 0; n < count; n++) {
                last = publisher.publish(message);
            }
            last.orTimeout(120, TimeUnit.SECONDS).join();
        }
    }

    /** The message that comes is not settled: it stays for the next start. */
    private static double secondsToFirstDelivery(BrokerProcess broker) {
        long began = System.nanoTime();
        broker.launch();
        try (RawAmqp client = connect(broker)) {
            client.open("first");
            client.attachReceiver(0, "orders", 1);
            client.expect(Transfer.class);
            return (System.nanoTime() - began) / 1e9;
        } finally {
            broker.stop();
        }
    }

    private static RawAmqp connect(BrokerProcess broker) {
        return await().atMost(START_MAX)
                .pollInterval(Duration.ofMillis(5))
                .failFast("the broker has ended", () -> !broker.isAlive())
                .ignoreException(UncheckedIOException.class)
                .until(() -> RawAmqp.socket(broker.amqpPort()), Objects::nonNull);
    }

    private static double median(List<Double> values) {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        return sorted.get(sorted.size() / 2);
    }
}
