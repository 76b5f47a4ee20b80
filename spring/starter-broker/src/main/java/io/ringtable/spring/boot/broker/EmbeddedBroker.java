package io.ringtable.spring.boot.broker;

import io.ringtable.broker.RingtableBroker;
import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.broker.metrics.BrokerMeters;
import io.ringtable.broker.metrics.StatusSampler;
import io.ringtable.broker.status.BrokerStatus;
import java.net.URI;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Is the broker that runs in this application. The broker serves, or stands by, as soon as its bean exists, which is
 * before Spring starts anything. The broker stops when its bean is destroyed: after every listener has stopped, and
 * after the beans that got its address have closed their connections. Every settlement of theirs is durable then.
 * <p>
 * Thread: any. Failure: a broker that cannot start ends the start of the application.
 */
public final class EmbeddedBroker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedBroker.class);

    private final RingtableBroker broker;
    private final StatusSampler sampler;
    private final AmqpProperties amqp;
    private final int port;
    private final AtomicBoolean closed = new AtomicBoolean();

    EmbeddedBroker(RingtableBroker broker, StatusSampler sampler, BrokerMeters meters, AmqpProperties amqp) {
        this.broker = broker;
        this.sampler = sampler;
        this.amqp = amqp;
        broker.start(); // a start that fails closes the broker
        this.port = amqp.port() == 0 ? broker.amqpPort() : amqp.port();
        if (port < 0) {
            String state = broker.state().text();
            broker.close();
            throw new IllegalStateException("RT-1154 the embedded broker does not serve yet (" + state
                    + "), so its free port is not known: set ringtable.amqp.port where an instance of the application"
                    + " stands by");
        }
        sampler.start(meters::refreshOwed);
        BrokerStatus status = broker.status();
        LOG.info("Ringtable is {} at {}: {}", status.state().phase(), uri(), status.engine());
    }

    /**
     * Returns where clients connect, such as {@code amqp://127.0.0.1:41234}. Loopback leads to a broker that listens on
     * every interface.
     */
    public URI uri() {
        String host = amqp.host();
        String reached = host.equals("0.0.0.0") ? "127.0.0.1" : host.equals("::") ? "::1" : host;
        return URI.create((amqp.tls().isConfigured() ? "amqps" : "amqp") + "://"
                + (reached.indexOf(':') >= 0 ? "[" + reached + "]" : reached) + ":" + port);
    }

    /** Returns the broker itself, for its status. */
    public RingtableBroker broker() {
        return broker;
    }

    /**
     * Stops the broker in order: the last flush, its outcomes, the lease, the store. Returns when all of it is done;
     * closing again does nothing.
     */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            broker.close();
            sampler.close();
        }
    }
}
