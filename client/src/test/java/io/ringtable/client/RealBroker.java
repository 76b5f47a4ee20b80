package io.ringtable.client;

import io.ringtable.broker.RingtableBroker;
import io.ringtable.broker.ShardSettings;
import io.ringtable.broker.amqp.settings.AmqpSettings;
import io.ringtable.broker.catalog.Retention;
import io.ringtable.broker.catalog.change.CatalogSettings;
import io.ringtable.broker.commit.CommitSettings;
import io.ringtable.broker.dispatch.DispatchSettings;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.dispatch.policy.AddressPolicy;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.work.CommitMonitor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/** The broker itself, in this process, on a SQLite file in a directory of the test's. */
final class RealBroker implements AutoCloseable {

    private final RingtableBroker broker;

    private RealBroker(Path directory, ShardSettings engine, AmqpSettings settings) {
        broker = new RingtableBroker(StoreSettings.embedded(directory), engine, settings, CommitMonitor.NONE);
    }

    static RealBroker start(Path directory) {
        return start(directory, 0, settings -> settings);
    }

    static RealBroker start(Path directory, int port, UnaryOperator<AmqpSettings.Builder> change) {
        AmqpSettings settings = change.apply(AmqpSettings.builder().port(port)).build();
        return new RealBroker(directory, ShardSettings.DEFAULTS, settings).started();
    }

    /** @param messages most messages owed on an address */
    static RealBroker withQuota(Path directory, long messages) {
        ShardSettings engine = ShardSettings.DEFAULTS;
        CommitSettings commit = engine.commit();
        commit = new CommitSettings(
                commit.inboxWorks(),
                commit.inboxBytesMax(),
                commit.batchMessagesMax(),
                commit.batchBytesMax(),
                commit.lingerMicros(),
                commit.settleDelay(),
                new CatalogSettings(
                        messages,
                        commit.catalog().quotaBytes(),
                        commit.catalog().addressesMax(),
                        commit.catalog().temporaryAddressesMax(),
                        commit.catalog().creation()),
                commit.deduplication());
        engine = new ShardSettings(engine.ringCapacity(), engine.lease(), commit, engine.dispatch());
        return new RealBroker(directory, engine, AmqpSettings.builder().port(0).build()).started();
    }

    /** Its topics keep their messages for an hour. */
    static RealBroker keeping(Path directory) {
        ShardSettings engine = ShardSettings.DEFAULTS;
        DispatchSettings dispatch = engine.dispatch();
        AddressPolicy policy = AddressPolicy.of(10, "DLQ").keeping(new Retention(3_600_000, 0));
        dispatch = new DispatchSettings(
                dispatch.memoryBytesMax(),
                dispatch.messagesInMemoryMax(),
                dispatch.unsettledBytesMax(),
                dispatch.volatileMessagesMax(),
                new AddressPolicies(List.of(), policy));
        engine = new ShardSettings(engine.ringCapacity(), engine.lease(), engine.commit(), dispatch);
        return new RealBroker(directory, engine, AmqpSettings.builder().port(0).build()).started();
    }

    private RealBroker started() {
        broker.start();
        return this;
    }

    int port() {
        return broker.amqpPort();
    }

    String uri() {
        return "amqp://127.0.0.1:" + port();
    }

    ClientBuilder client() {
        return client(port());
    }

    /** @param port the broker's, or that of something in front of it */
    static ClientBuilder client(int port) {
        return RingtableClient.builder()
                .uri("amqp://127.0.0.1:" + port)
                .reconnect(Reconnect.DEFAULT.firstDelay(Duration.ofMillis(20)).longestDelay(Duration.ofMillis(200)));
    }

    @Override
    public void close() {
        broker.close();
    }
}
