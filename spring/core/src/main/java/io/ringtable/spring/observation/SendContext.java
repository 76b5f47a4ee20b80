package io.ringtable.spring.observation;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import io.ringtable.client.Address;
import io.ringtable.client.Message;

/** Holds what is known of a message that is being sent. A tracer's context goes out in its application properties. */
public final class SendContext extends SenderContext<Message.Builder> {

    private final Address address;

    public SendContext(Address address, Message.Builder message) {
        super((carrier, key, value) -> carrier.property(key, value), Kind.PRODUCER);
        this.address = address;
        setCarrier(message);
    }

    public Address address() {
        return address;
    }
}
