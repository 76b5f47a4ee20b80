package io.ringtable.broker.amqp.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.amqp.link.NodeName;
import io.ringtable.broker.message.AddressKind;
import java.time.Instant;
import java.util.Map;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnknownDescribedType;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.TerminusDurability;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

public class SinceTest {
    private static final Instant TEN = Instant.parse("2026-11-21T10:00:00Z");

    private static Source durable(String address, Symbol... capabilities) {
        return new Source()
                .setAddress(address)
                .setCapabilities(capabilities)
                .setDurable(TerminusDurability.UNSETTLED_STATE);
    }

    private static Source filtered(Source source, Object since) {
        return source.setFilter(Map.of(
                Symbol.valueOf("any"), new UnknownDescribedType(Symbol.valueOf("ringtable:since:timestamp"), since)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "flights?since=2026-11-21T10:00:00Z",
                "topic://flights?since=2026-11-21T10:00:00.000Z",
                "flights?since=2026-11-21T10:00Z",
                "flights?since=2026-11-21T12:00:00+02:00"
            })
    public void aTimeFollowsTheName(String address) {
        Source source = durable(address);
        assertThat(Since.of(source)).isEqualTo(TEN);
        assertThat(Since.node(source)).isEqualTo(new NodeName("flights", AddressKind.TOPIC, false));
        assertThat(Since.of(durable(address, NodeName.TOPIC))).isEqualTo(TEN);
    }

    @Test
    public void aFilterSaysTheTime() {
        assertThat(Since.of(filtered(durable("flights"), TEN.toEpochMilli()))).isEqualTo(TEN);
        assertThat(Since.of(filtered(durable("flights"), "2026-11-21T10:00:00Z")))
                .isEqualTo(TEN);
        assertThat(Since.node(filtered(durable("flights"), TEN.toEpochMilli())))
                .isEqualTo(new NodeName("flights", AddressKind.TOPIC, false));
        assertThatThrownBy(() -> Since.of(filtered(durable("flights"), 5)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ringtable:since:timestamp");
    }

    @Test
    public void mostAskForNone() {
        assertThat(Since.of(durable("flights"))).isNull();
        assertThat(Since.node(durable("flights"))).isEqualTo(new NodeName("flights", null, false));
        assertThat(Since.of(new Source())).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "yesterday", "2026-11-21", "2026-11-21T10:00:00", "10", "2026-11-21T10:00:00Z?"})
    public void whatIsNoTimeIsRefused(String time) {
        assertThatThrownBy(() -> Since.of(durable("flights?since=" + time)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("2026-11-21T10:00:00Z");
    }

    @Test
    public void onlyDurableSubscriptionsOfTopicsBeginInThePast() {
        for (Source source : new Source[] {
            durable("flights?since=" + TEN).setDurable(TerminusDurability.NONE),
            durable("flights?since=" + TEN).setDurable(null),
            durable("flights?since=" + TEN, NodeName.QUEUE),
            durable("queue://flights?since=" + TEN),
            filtered(durable("flights", NodeName.QUEUE), TEN.toEpochMilli()),
            filtered(durable(null).setDynamic(true), TEN.toEpochMilli())
        }) {
            assertThatThrownBy(() -> Since.of(source))
                    .as("%s", source)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("durable subscription of a topic");
        }
    }
}
