package io.ringtable.acceptance.interop;

import java.util.List;

/** One client library. */
interface Client {

    /** @param n the message's number, as a property */
    record Received(String body, int n) {}

    /** Sends messages "prefix 0" to "prefix count-1"; returns when all are accepted. */
    void send(String kind, String address, int count, String prefix) throws Exception;

    /** Takes that many messages and accepts them. */
    List<Received> receive(String kind, String address, int count) throws Exception;

    /** Makes a durable subscription of the topic and leaves it. */
    void subscribe(String topic, String containerId, String name) throws Exception;

    /** Comes back to a durable subscription, takes that many messages, accepts them and leaves it. */
    List<Received> resume(String topic, String containerId, String name, int count) throws Exception;
}
