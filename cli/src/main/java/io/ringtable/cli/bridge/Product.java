package io.ringtable.cli.bridge;

import java.util.Map;
import org.apache.qpid.protonj2.types.Symbol;

/**
 * Says what a bridge knows of a broker by the name in its open frame. That is how it leaves out a message that it has
 * stored, and how it says that an outcome is durable.
 */
enum Product {
    RINGTABLE("Ringtable", KeyPlace.ANNOTATION, Confirmation.ANSWER),
    ARTEMIS("apache-activemq-artemis", KeyPlace.PROPERTY, Confirmation.TRANSACTION),
    /** Answers an outcome, though not behind its sync. */
    RABBITMQ("RabbitMQ", KeyPlace.NONE, Confirmation.ANSWER),
    OTHER("", KeyPlace.NONE, Confirmation.TRANSACTION);

    /** Says where a broker looks for {@code _AMQ_DUPL_ID}. */
    enum KeyPlace {
        /** Among the message annotations, so that the bare message stays as it is. */
        ANNOTATION,
        /** Among the application properties. */
        PROPERTY,
        /** Nowhere: the broker stores each message that it is sent. */
        NONE
    }

    /** Says how a broker confirms that a message is over. */
    enum Confirmation {
        /** The broker answers an unsettled outcome once it is durable. */
        ANSWER,
        /** The broker answers the discharge of a transaction once it is durable. */
        TRANSACTION
    }

    private static final Symbol PRODUCT = Symbol.valueOf("product");

    private final String productName;
    private final KeyPlace keyPlace;
    private final Confirmation confirmation;

    Product(String productName, KeyPlace keyPlace, Confirmation confirmation) {
        this.productName = productName;
        this.keyPlace = keyPlace;
        this.confirmation = confirmation;
    }

    /** @param properties of the broker's open frame, or null */
    static Product of(Map<Symbol, Object> properties) {
        Object name = properties == null ? null : properties.get(PRODUCT);
        for (Product product : values()) {
            if (product.productName.equals(name)) {
                return product;
            }
        }
        return OTHER;
    }

    KeyPlace keyPlace() {
        return keyPlace;
    }

    Confirmation confirmation() {
        return confirmation;
    }
}
