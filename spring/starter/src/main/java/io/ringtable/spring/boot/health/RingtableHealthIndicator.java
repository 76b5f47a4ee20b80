package io.ringtable.spring.boot.health;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * Says {@code UP} while all connections to the broker stand and {@code DOWN} while one does not, with the reason.
 * Before anything has connected it says {@code UNKNOWN}, which readiness takes for ready. Answers at once, so that
 * readiness may ask often.
 */
final class RingtableHealthIndicator implements HealthIndicator {
    private final BrokerConnections connections;

    RingtableHealthIndicator(BrokerConnections connections) {
        this.connections = connections;
    }

    @Override
    public Health health() {
        BrokerConnections.Report report = connections.report();
        Health.Builder health = new Health.Builder(status(report));
        report.standing().forEach((kind, count) -> health.withDetail(kind + "-connections", count));
        report.troubles().forEach((kind, trouble) -> health.withDetail(kind + "-trouble", trouble));
        return health.build();
    }

    private static Status status(BrokerConnections.Report report) {
        if (!report.troubles().isEmpty()) {
            return Status.DOWN;
        }
        return report.standing().isEmpty() ? Status.UNKNOWN : Status.UP;
    }
}
