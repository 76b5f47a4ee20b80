package io.ringtable.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.spring.annotation.RingtableListener;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

/** A native image can call the methods of listeners, and knows the types of their payloads. */
class NativeHintsTest {

    record Order(String item, int count) {}

    static class TakesOrders {
        @RingtableListener("queue://orders")
        void take(Order order) {}
    }

    @Test
    void methodsAndPayloadsOfListenersAreReachable() throws Exception {
        RuntimeHints hints = new RuntimeHints();
        new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, TakesOrders.class);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(TakesOrders.class.getDeclaredMethod("take", Order.class)))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Order.class.getDeclaredMethod("item")))
                .accepts(hints);
    }
}
