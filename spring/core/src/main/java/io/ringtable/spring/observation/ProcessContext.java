package io.ringtable.spring.observation;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.ringtable.client.ReceivedMessage;
import java.util.List;
import java.util.Optional;

/**
 * Holds what is known of the messages that a listener's method gets in one call. A tracer's context comes in with the
 * application properties of the first.
 */
public final class ProcessContext extends ReceiverContext<ReceivedMessage> {

    private final List<ReceivedMessage> messages;
    private final String subscription;

    /** @param subscription name of the durable or shared subscription, or null */
    public ProcessContext(List<ReceivedMessage> messages, String subscription) {
        super(
                (carrier, key) -> Observations.readable(() -> Optional.ofNullable(carrier.property(key))
                                .filter(String.class::isInstance)
                                .map(String.class::cast))
                        .orElse(null),
                Kind.CONSUMER);
        this.messages = List.copyOf(messages);
        this.subscription = subscription;
        setCarrier(messages.get(0));
    }

    /** Returns at least one. */
    public List<ReceivedMessage> messages() {
        return messages;
    }

    public Optional<String> subscription() {
        return Optional.ofNullable(subscription);
    }
}
