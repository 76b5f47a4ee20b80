package io.ringtable.broker.admin;

import io.ringtable.broker.status.BrokerState;
import java.util.function.Supplier;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Alive = the broker serves, stands by, or still tries; not alive once it has given up, so that a supervisor ends the process.
 * A store that is away does not count: that heals by itself. Thread: any; never touches the store.
 */
public final class BrokerLiveness implements HealthIndicator {
    private final Supplier<BrokerState> state;

    public BrokerLiveness(Supplier<BrokerState> state) {
        this.state = state;
    }

    @Override
    public Health health() {
        BrokerState now = state.get();
        Health.Builder health = now.phase() == BrokerState.Phase.FAILED ? Health.down() : Health.up();
        health.withDetail("phase", now.phase());
        if (now.phase() == BrokerState.Phase.FAILED) {
            health.withDetail("reason", now.text());
        }
        return health.build();
    }
}
