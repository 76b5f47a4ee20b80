package io.ringtable.client.internal.connection;

import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/** Attaches a link again, with growing delays, after the broker has ended it for a reason that may pass. */
public final class LinkRetry {

    private static final Set<String> PASSING = Set.of(
            "amqp:link:detach-forced", "amqp:connection:forced", "amqp:internal-error", "amqp:resource-limit-exceeded");

    private final LinkHost host;
    private final ClientLink link;
    private int round;
    private Future<?> timer;

    public LinkRetry(LinkHost host, ClientLink link) {
        this.host = host;
        this.link = link;
    }

    public static boolean isPassing(ErrorCondition condition) {
        return condition == null
                || condition.getCondition() == null
                || PASSING.contains(condition.getCondition().toString());
    }

    public void succeeded() {
        round = 0;
    }

    public void attachLater(AmqpConnection connection) {
        long delayMs = host.backoff().delayMs(round++);
        timer = host.loop()
                .schedule(
                        () -> {
                            if (!connection.isOver()) {
                                connection.guarded(() -> link.attach(connection));
                            }
                        },
                        delayMs,
                        TimeUnit.MILLISECONDS);
    }

    public void cancel() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }
}
