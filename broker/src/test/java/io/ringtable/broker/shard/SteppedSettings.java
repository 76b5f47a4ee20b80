package io.ringtable.broker.shard;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.catalog.Retention;
import io.ringtable.broker.config.CommitProperties;
import io.ringtable.broker.config.DispatchProperties;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.dispatch.policy.AddressPolicy;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.QuotaLimits;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Holds the settings of stepped shards: small windows and few producers, so that a test reaches each bound. */
final class SteppedSettings {
    static final AddressPolicies PLAIN = new AddressPolicies(List.of(), AddressPolicy.of(3, "DLQ"));
    static final TestSettings COMMIT = TestSettings.of(
            "ringtable.commit.batch-messages-max", 2_000,
            "ringtable.commit.quota-messages", 1_000_000,
            "ringtable.commit.quota-bytes", 1L << 40,
            "ringtable.commit.temporary-addresses-max", 100,
            "ringtable.commit.duplicate-ids", 100,
            "ringtable.commit.producers-max", 10);

    private SteppedSettings() {}

    /** Gives addresses parts, by patterns of their names. */
    static AddressPolicies parts(Map<String, Integer> byPattern) {
        List<AddressPolicies.Rule> rules = byPattern.entrySet().stream()
                .map(each -> new AddressPolicies.Rule(
                        each.getKey(),
                        new AddressPolicy(
                                Set.of(AddressKind.values()),
                                AddressKind.QUEUE,
                                3,
                                "DLQ",
                                "",
                                0,
                                1,
                                0,
                                false,
                                false,
                                Retention.NONE,
                                QuotaLimits.NONE,
                                "",
                                each.getValue())))
                .toList();
        return new AddressPolicies(rules, AddressPolicy.of(3, "DLQ"));
    }

    static CommitProperties commit(int duplicateIds, int producersMax, Duration producerRetention) {
        return COMMIT.with(
                        "ringtable.commit.duplicate-ids", duplicateIds,
                        "ringtable.commit.producers-max", producersMax,
                        "ringtable.commit.producer-retention", producerRetention)
                .commit();
    }

    static DispatchProperties dispatch(
            long memoryBytesMax, int windowMessagesMax, long unsettledBytesMax, int volatileMessagesMax) {
        return TestSettings.of(
                        "ringtable.dispatch.memory-bytes-max", memoryBytesMax,
                        "ringtable.dispatch.window-messages-max", windowMessagesMax,
                        "ringtable.dispatch.unsettled-bytes-max", unsettledBytesMax,
                        "ringtable.dispatch.volatile-messages-max", volatileMessagesMax)
                .dispatch();
    }
}
