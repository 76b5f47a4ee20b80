package io.ringtable.broker.admin;

import io.ringtable.broker.status.BrokerState;
import io.ringtable.broker.status.BrokerStatus;
import java.util.function.Supplier;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Ready = this node owns its shard and the store takes writes. It says what the broker knows already and never touches
 * the store itself.
 */
public final class ShardHealth implements HealthIndicator {
    private final Supplier<BrokerStatus> status;
    private final Supplier<String> storeTrouble;
    private final Supplier<String> inboxTrouble;

    /**
     * @param storeTrouble why the store takes no writes; gives null while it does
     * @param inboxTrouble why nothing is collected from the inbox; gives null while it is. It is named and makes nobody unready
     */
    public ShardHealth(Supplier<BrokerStatus> status, Supplier<String> storeTrouble, Supplier<String> inboxTrouble) {
        this.status = status;
        this.storeTrouble = storeTrouble;
        this.inboxTrouble = inboxTrouble;
    }

    @Override
    public Health health() {
        BrokerStatus known = status.get();
        BrokerState now = known.state();
        String trouble = storeTrouble.get();
        boolean isReady = now.isActive() && trouble == null;
        Health.Builder health = isReady ? Health.up() : Health.outOfService();
        health.withDetail("phase", now.phase())
                .withDetail("reason", now.text())
                .withDetail("durability", known.durability());
        if (trouble != null) {
            health.withDetail("store", trouble);
        }
        String inbox = inboxTrouble.get();
        if (inbox != null) {
            health.withDetail("inbox", inbox);
        }
        BrokerState.Failures failures = now.failures();
        if (failures.last() != null) {
            health.withDetail("failures", failures);
        }
        return health.build();
    }
}
