package io.ringtable.acceptance.flights;

import java.util.function.BooleanSupplier;

/** Publishers and subscribers of one client library, that go on while the broker comes and goes. */
interface FlightClients {
    String TOPIC = "flights";
    String ROW = "row";
    String ATTEMPT = "attempt";

    /** Publishes the publisher's rows from one to before another; returns when all are accepted. Blocks its thread. */
    void publish(int publisher, int from, int before) throws Exception;

    /** Creates the durable subscription. */
    void subscribe(int subscription) throws Exception;

    /** Receives until done, then settles everything and closes. Blocks its thread. */
    void receive(int subscription, BooleanSupplier done) throws Exception;
}
