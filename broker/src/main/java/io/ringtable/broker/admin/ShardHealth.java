package io.ringtable.broker.admin;

import io.ringtable.broker.status.BrokerState;
import io.ringtable.broker.status.BrokerStatus;
import io.ringtable.broker.status.ShardStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Reports the node as ready while it owns and serves all of its shards and the store takes writes. Reads only what the
 * broker knows already, and never touches the store. With several shards the answer names those that are not served.
 */
public final class ShardHealth implements HealthIndicator {
    private final Supplier<BrokerStatus> status;
    private final Supplier<String> storeTrouble;
    private final Supplier<String> inboxTrouble;

    /**
     * Makes the readiness check.
     *
     * @param storeTrouble gives why the store takes no writes; null while it does
     * @param inboxTrouble gives why the broker collects nothing from the inbox; null while it collects. Named only: the
     *     node stays ready
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
        Map<String, String> notServed = notServed(known.shards());
        boolean isReady = now.isActive() && notServed.isEmpty() && trouble == null;
        Health.Builder health = isReady ? Health.up() : Health.outOfService();
        health.withDetail("phase", now.phase())
                .withDetail("reason", now.text())
                .withDetail("durability", known.durability());
        if (known.shards().size() > 1 && !notServed.isEmpty()) {
            health.withDetail("shards", notServed);
        }
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

    /** Says of each shard that is not served why, by its number. */
    private static Map<String, String> notServed(List<ShardStatus> shards) {
        Map<String, String> reasons = new LinkedHashMap<>();
        shards.stream()
                .filter(ShardStatus::isMissed)
                .forEach(shard -> reasons.put(String.valueOf(shard.number()), shard.phase() + ": " + shard.text()));
        return reasons;
    }
}
