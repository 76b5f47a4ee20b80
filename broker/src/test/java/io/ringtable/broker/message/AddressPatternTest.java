package io.ringtable.broker.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Predicate;
import java.util.stream.Stream;
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

    @Test
    void whatSaysMoreOfANameComesFirst() {
        assertThat(Stream.of("#", "*", "orders.#", "orders.*", "orders", "orders.eu", "*.eu", "#.eu", "orders.*.new")
                        .map(AddressPattern::new)
                        .sorted(AddressPattern.MOST_SPECIFIC_FIRST)
                        .map(Object::toString))
                .containsExactly(
                        "orders.eu", "orders.*.new", "orders.*", "orders.#", "orders", "*.eu", "*", "#.eu", "#");
        assertThat(AddressPattern.MOST_SPECIFIC_FIRST.compare(new AddressPattern("a.b"), new AddressPattern("a.c")))
                .isNegative();
        assertThat(AddressPattern.MOST_SPECIFIC_FIRST.compare(new AddressPattern("a.b"), new AddressPattern("a.b")))
                .isZero();
    }

    private static Predicate<String> matching(String pattern) {
        return new AddressPattern(pattern)::matches;
    }
}
