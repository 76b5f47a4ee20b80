package io.ringtable.broker.admin;

import io.ringtable.broker.status.BrokerState;
import java.util.function.Supplier;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Reports the broker as alive while it serves, stands by, or still tries. A broker that has given up is not alive, so
 * that a supervisor ends the process. A store that is away does not count: the broker recovers from that by itself.
 * <p>
 * Thread: any; never touches the store.
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
