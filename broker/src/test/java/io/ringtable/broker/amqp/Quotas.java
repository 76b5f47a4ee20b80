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

    /** Returns how many messages an address holds; none before somebody has named it. */
    static long held(TestBroker broker, String address) {
        return broker.shard().lookup().find(address) == null
                ? 0
                : quota(broker, address).messages();
    }

    static AddressQuota quota(TestBroker broker, String address) {
        return broker.shard().lookup().find(address).quota();
    }
}
