package io.ringtable.client;

import java.util.Objects;
import java.util.Optional;

/**
 * Says where to publish, and how. Immutable; each method returns a changed copy.
 *
 * <pre>{@code
 * PublisherOptions orders = PublisherOptions.queue("orders").producerId("shop-1");
 * }</pre>
 */
public final class PublisherOptions {

    private static final int PRODUCER_ID_MAX = 200;

    private final Address address;
    private final String producerId;

    private PublisherOptions(Address address, String producerId) {
        this.address = address;
        this.producerId = producerId;
    }

    public static PublisherOptions to(Address address) {
        return new PublisherOptions(Objects.requireNonNull(address, "address"), null);
    }

    public static PublisherOptions queue(String name) {
        return to(Address.queue(name));
    }

    public static PublisherOptions topic(String name) {
        return to(Address.topic(name));
    }

    /**
     * Has each message stored once, even if it has to be sent several times. The publisher numbers its messages, and
     * the broker keeps the number of the last one under this name, with the messages. Messages that a lost connection
     * leaves unanswered are sent again and recognised, across crashes of the broker too. An application that crashes
     * keeps its id and goes on after {@link Publisher#lastPublishedNumber}.
     * <p>
     * An id names one sequence of messages to one address: no two publishers use the same at once. A publisher that
     * opens an id fences the one that had it before, which fails with RT-5023.
     *
     * @param id 1 to 200 characters, none of them a control character. The application must find the id again when it
     *     restarts, so its host and instance number will do. The broker keeps a bounded number of ids
     * @throws RingtableException RT-5001 if the id is not of that kind
     */
    public PublisherOptions producerId(String id) {
        Objects.requireNonNull(id, "id");
        if (id.isBlank() || id.length() > PRODUCER_ID_MAX || id.chars().anyMatch(Character::isISOControl)) {
            throw RingtableException.configuration(
                    "producer id '" + id + "'",
                    "use 1 to " + PRODUCER_ID_MAX + " characters, none of them a control character");
        }
        return new PublisherOptions(address, id);
    }

    public Address address() {
        return address;
    }

    public Optional<String> producerId() {
        return Optional.ofNullable(producerId);
    }
}
