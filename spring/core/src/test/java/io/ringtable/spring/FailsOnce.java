package io.ringtable.spring;

import io.ringtable.spring.annotation.RingtableListener;
import io.ringtable.spring.support.RingtableHeaders;
import org.springframework.messaging.handler.annotation.Header;

/** Collects how often each message has come, and throws at the first time. */
class FailsOnce extends Collecting<Integer> {
    @RingtableListener("${address}")
    void take(String text, @Header(RingtableHeaders.DELIVERY_COUNT) int deliveries) {
        got.add(deliveries);
        if (deliveries == 1) {
            throw new IllegalStateException("no seat");
        }
    }
}
