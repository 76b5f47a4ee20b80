package io.ringtable.broker.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class AddressPatternTest {

    @Test
    void aWildcardStandsForWholeWords() {
        assertThat(matching("orders.*")).accepts("orders.eu").rejects("orders", "orders.eu.north", "ordersXeu");
        assertThat(matching("orders.#"))
                .accepts("orders", "orders.eu", "orders.eu.north")
                .rejects("orders2", "my.orders");
        assertThat(matching("#.dlq")).accepts("a.dlq", "a.b.dlq").rejects("dlq.a");
        assertThat(matching("#")).accepts("", "a", "a.b", "a\u2028b");
        assertThat(matching("a+b")).accepts("a+b").rejects("aab", "a+b.c");
    }

    @Test
    void tellsANameFromAPatternAndAMistakeFromBoth() {
        assertThat(new AddressPattern("orders.eu").isName()).isTrue();
        assertThat(new AddressPattern("orders.*").isName()).isFalse();
        assertThat(new AddressPattern("#").isEveryName()).isTrue();
        assertThat(new AddressPattern("#.x").isEveryName()).isFalse();
        assertThat(new AddressPattern("orders*.eu").hasWildcardInsideWord()).isTrue();
        assertThat(new AddressPattern("orders.*.#").hasWildcardInsideWord()).isFalse();
    }

    private static Predicate<String> matching(String pattern) {
        return new AddressPattern(pattern)::matches;
    }
}
