package io.ringtable.examples.bookshop;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.stereotype.Component;

/** Delivers parcels. Two couriers share a durable subscription of the parcels' topic: each parcel goes to one. */
@Component
class Couriers {
    private static final long SECONDS_MAX = 30;

    private final BlockingQueue<String> delivered = new LinkedBlockingQueue<>();

    @JmsListener(destination = "topic://parcels", subscription = "couriers", concurrency = "2-2")
    void deliver(String parcel) {
        System.out.println("courier: delivered " + parcel);
        delivered.add(parcel);
    }

    void awaitDelivery(int parcels) throws InterruptedException {
        for (int i = 0; i < parcels; i++) {
            if (delivered.poll(SECONDS_MAX, TimeUnit.SECONDS) == null) {
                throw new IllegalStateException(i + " of " + parcels + " parcels were delivered in time");
            }
        }
    }
}
