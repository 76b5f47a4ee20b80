package io.ringtable.client.internal;

import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/** Attaches a link again, with growing delays, after the broker has ended it for a reason that may pass. */
final class LinkRetry {

    private static final Set<String> PASSING = Set.of(
            "amqp:link:detach-forced", "amqp:connection:forced", "amqp:internal-error", "amqp:resource-limit-exceeded");

    private final DefaultClient client;
    private final ClientLink link;
    private int round;
    private Future<?> timer;

    LinkRetry(DefaultClient client, ClientLink link) {
        this.client = client;
        this.link = link;
    }

    static boolean isPassing(ErrorCondition condition) {
        return condition == null
                || condition.getCondition() == null
                || PASSING.contains(condition.getCondition().toString());
    }

    void succeeded() {
        round = 0;
    }

    void attachLater(AmqpConnection connection) {
        long delayMs = client.backoff().delayMs(round++);
        timer = client.loop()
                .schedule(
                        () -> {
                            if (!connection.isOver()) {
                                connection.guarded(() -> link.attach(connection));
                            }
                        },
                        delayMs,
                        TimeUnit.MILLISECONDS);
    }

    void cancel() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }
}
