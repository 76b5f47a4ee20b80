package io.ringtable.client.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.ringtable.client.ClientStatistics;
import io.ringtable.client.RingtableClient;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/**
 * Shows a client's {@link ClientStatistics} as Micrometer meters, all tagged with the client's name. Only applications
 * that use this class need Micrometer.
 *
 * <pre>{@code
 * new RingtableClientMetrics(client, "shop").bindTo(registry);
 * }</pre>
 */
public final class RingtableClientMetrics implements MeterBinder {

    private final RingtableClient client;
    private final Tags tags;

    /** @param name value of the tag {@code client} */
    public RingtableClientMetrics(RingtableClient client, String name) {
        this.client = Objects.requireNonNull(client, "client");
        this.tags = Tags.of("client", name);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        counter(registry, "published", "Messages handed in", ClientStatistics::published);
        counter(registry, "accepted", "Messages that the broker has stored", ClientStatistics::accepted);
        counter(registry, "rejected", "Messages whose future failed", ClientStatistics::rejected);
        counter(registry, "publish.transfers", "AMQP deliveries to the broker", ClientStatistics::publishTransfers);
        counter(registry, "received", "Messages that have arrived", ClientStatistics::received);
        counter(registry, "acknowledged", "Messages acknowledged", ClientStatistics::acknowledged);
        counter(
                registry,
                "not.acknowledged",
                "Messages rejected, released or failed by the application",
                ClientStatistics::notAcknowledged);
        counter(
                registry,
                "settlements.lost",
                "Settlements void because their connection was lost",
                ClientStatistics::settlementsLost);
        counter(registry, "connections", "Connections opened", ClientStatistics::connections);
        Gauge.builder("ringtable.client.connected", client, each -> each.isConnected() ? 1 : 0)
                .description("1 while connected")
                .tags(tags)
                .register(registry);
    }

    private void counter(
            MeterRegistry registry, String name, String meaning, ToDoubleFunction<ClientStatistics> value) {
        FunctionCounter.builder("ringtable.client." + name, client, each -> value.applyAsDouble(each.statistics()))
                .description(meaning)
                .tags(tags)
                .register(registry);
    }
}
