package io.ringtable.spring;

import io.ringtable.spring.annotation.RingtableListener;

/** Takes payloads that are converted from JSON. */
class TakesOrders extends Collecting<Order> {
    @RingtableListener("${address}")
    void take(Order order) {
        got.add(order);
    }
}
