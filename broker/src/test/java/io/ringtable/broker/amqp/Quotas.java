package io.ringtable.broker.amqp;

import io.ringtable.broker.EngineSettings;
import io.ringtable.broker.catalog.AddressQuota;
import io.ringtable.broker.commit.CommitSettings;

/** Settings of brokers whose addresses hold less than usual. */
final class Quotas {
    private Quotas() {}

    static EngineSettings messages(long messages) {
        return of(CommitSettings.DEFAULTS.inboxWorks(), messages);
    }

    static EngineSettings bytes(long bytes) {
        return of(CommitSettings.DEFAULTS.inboxWorks(), CommitSettings.DEFAULTS.quotaMessages(), bytes);
    }

    static EngineSettings of(int inboxWorks, long messages) {
        return of(inboxWorks, messages, CommitSettings.DEFAULTS.quotaBytes());
    }

    private static EngineSettings of(int inboxWorks, long messages, long bytes) {
        CommitSettings defaults = CommitSettings.DEFAULTS;
        CommitSettings commit = new CommitSettings(
                inboxWorks,
                defaults.inboxBytesMax(),
                defaults.batchMessagesMax(),
                defaults.batchBytesMax(),
                defaults.lingerMicros(),
                defaults.settleDelay(),
                messages,
                bytes,
                defaults.addressesMax(),
                defaults.temporaryAddressesMax(),
                defaults.creation(),
                defaults.duplicateIds(),
                defaults.producersMax(),
                defaults.producerRetention());
        return new EngineSettings(
                EngineSettings.DEFAULTS.ringCapacity(),
                EngineSettings.DEFAULTS.lease(),
                commit,
                EngineSettings.DEFAULTS.dispatch());
    }

    static AddressQuota quota(TestBroker broker, String address) {
        return broker.shard().catalog().find(address).quota();
    }
}
