package io.ringtable.test;

import io.ringtable.spring.boot.RingtableConnectionDetails;
import java.util.List;

/** Leads the clients of a test's context to the test's broker. */
final class TestConnectionDetails implements RingtableConnectionDetails {
    private final TestBroker broker;

    TestConnectionDetails(TestBroker broker) {
        this.broker = broker;
    }

    @Override
    public List<String> getUris() {
        return List.of(broker.url().toString());
    }
}
