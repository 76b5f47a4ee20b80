package io.ringtable.broker.shard;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.config.CommitProperties;
import io.ringtable.broker.config.DispatchProperties;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.dispatch.policy.AddressPolicy;
import java.time.Duration;
import java.util.List;

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
