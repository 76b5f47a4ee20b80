package io.ringtable.broker.amqp;

import io.ringtable.broker.ShardSettings;
import io.ringtable.broker.catalog.change.CatalogSettings;
import io.ringtable.broker.commit.CommitSettings;
import io.ringtable.broker.message.AddressQuota;

/** Settings of brokers whose addresses hold less than usual. */
final class Quotas {
    private Quotas() {}

    static ShardSettings messages(long messages) {
        return of(CommitSettings.DEFAULTS.inboxWorks(), messages);
    }

    static ShardSettings bytes(long bytes) {
        return of(
                CommitSettings.DEFAULTS.inboxWorks(),
                CommitSettings.DEFAULTS.catalog().quotaMessages(),
                bytes);
    }

    static ShardSettings of(int inboxWorks, long messages) {
        return of(inboxWorks, messages, CommitSettings.DEFAULTS.catalog().quotaBytes());
    }

    private static ShardSettings of(int inboxWorks, long messages, long bytes) {
        CommitSettings defaults = CommitSettings.DEFAULTS;
        CommitSettings commit = new CommitSettings(
                inboxWorks,
                defaults.inboxBytesMax(),
                defaults.batchMessagesMax(),
                defaults.batchBytesMax(),
                defaults.lingerMicros(),
                defaults.settleDelay(),
                new CatalogSettings(
                        messages,
                        bytes,
                        defaults.catalog().addressesMax(),
                        defaults.catalog().temporaryAddressesMax(),
                        defaults.catalog().creation()),
                defaults.deduplication());
        return new ShardSettings(
                ShardSettings.DEFAULTS.ringCapacity(),
                ShardSettings.DEFAULTS.lease(),
                commit,
                ShardSettings.DEFAULTS.dispatch());
    }

    static AddressQuota quota(TestBroker broker, String address) {
        return broker.shard().lookup().find(address).quota();
    }
}
