package io.ringtable.broker;

import io.ringtable.broker.amqp.settings.AmqpSettings;
import io.ringtable.broker.metrics.BrokerMeters;
import io.ringtable.broker.metrics.StatusSampler;
import io.ringtable.broker.status.BrokerStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the broker after the HTTP server, so that a node that stands by or recovers is seen to live, and closes it
 * before: readiness off, then clients, the last flush, the lease and the store, then HTTP.
 * <p>
 * Thread: Spring's. Failure: what refuses the start ends the application.
 */
final class BrokerLifecycle implements SmartLifecycle, ApplicationContextAware {
    private static final Logger LOG = LoggerFactory.getLogger(RingtableBroker.class);

    private final RingtableBroker broker;
    private final StatusSampler sampler;
    private final BrokerMeters meters;
    private final AmqpSettings amqp;
    private final String version;
    private ApplicationContext context;
    private volatile boolean running;

    BrokerLifecycle(
            RingtableBroker broker, StatusSampler sampler, BrokerMeters meters, AmqpSettings amqp, String version) {
        this.broker = broker;
        this.sampler = sampler;
        this.meters = meters;
        this.amqp = amqp;
        this.version = version;
    }

    @Override
    public void setApplicationContext(ApplicationContext applicationContext) {
        context = applicationContext;
    }

    @Override
    public void start() {
        broker.start(); // what refuses it has closed it
        running = true;
        sampler.start(meters::refreshOwed);
        BrokerStatus status = broker.status();
        LOG.info("store: {}, durability {}, node {}", status.engine(), status.durability(), status.node());
        if (status.state().isActive()) {
            // Scripts read the addresses from this line.
            LOG.info("Ringtable {} is active: {}, {}", version, amqpUrl(), httpUrl());
        } else {
            LOG.info(
                    "Ringtable {} does not serve yet: {}; {}",
                    version,
                    status.state().text(),
                    httpUrl());
        }
    }

    private String amqpUrl() {
        return (amqp.tls() == null ? "amqp" : "amqps") + "://" + inUrl(amqp.host()) + ":" + broker.amqpPort();
    }

    private String httpUrl() {
        String host = context.getEnvironment().getProperty("server.address", "127.0.0.1");
        int port = context instanceof WebServerApplicationContext web
                ? web.getWebServer().getPort()
                : -1;
        return "http://" + inUrl(host) + ":" + port;
    }

    private static String inUrl(String host) {
        return host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    }

    @Override
    public void stop() {
        AvailabilityChangeEvent.publish(context, ReadinessState.REFUSING_TRAFFIC);
        LOG.info("stopping: not ready any more, clients are asked to go");
        broker.close();
        sampler.close();
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Last to start, first to stop: the HTTP server's phase is lower. */
    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }
}
