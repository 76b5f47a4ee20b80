package io.ringtable.broker.amqp;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.message.AddressQuota;

/** Settings of brokers whose addresses hold less than usual. */
final class Quotas {
    private Quotas() {}

    static TestSettings messages(long messages) {
        return TestSettings.of("ringtable.commit.quota-messages", messages);
    }

    static TestSettings bytes(long bytes) {
        return TestSettings.of("ringtable.commit.quota-bytes", bytes);
    }

    static AddressQuota quota(TestBroker broker, String address) {
        return broker.shard().lookup().find(address).quota();
    }
}
