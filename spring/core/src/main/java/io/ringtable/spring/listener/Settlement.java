package io.ringtable.spring.listener;

import io.ringtable.client.ReceivedMessage;
import java.util.Objects;

/**
 * Says what becomes of a message whose listener failed; an {@link RingtableErrorHandler} decides it.
 *
 * @param kind what to do
 * @param reason for the people who look into the dead-letter queue; null unless the message is rejected
 */
public record Settlement(Kind kind, String reason) {

    /** Lists the outcomes that a message can have. */
    public enum Kind {
        ACKNOWLEDGE,
        FAIL,
        RELEASE,
        REJECT
    }

    public Settlement {
        Objects.requireNonNull(kind, "kind");
        if (kind == Kind.REJECT) {
            Objects.requireNonNull(reason, "reason");
        }
    }

    /** Counts the message as dealt with all the same. */
    public static Settlement acknowledge() {
        return new Settlement(Kind.ACKNOWLEDGE, null);
    }

    /**
     * Has the message come again, counted, after the broker's redelivery delay; too many failures make it a dead
     * letter.
     */
    public static Settlement fail() {
        return new Settlement(Kind.FAIL, null);
    }

    /** Has the message come again at once, not counted. */
    public static Settlement release() {
        return new Settlement(Kind.RELEASE, null);
    }

    /** Moves the message to the dead-letter queue. */
    public static Settlement reject(String reason) {
        return new Settlement(Kind.REJECT, reason);
    }

    /** Settles; without effect if the message is settled already. */
    void apply(ReceivedMessage message) {
        switch (kind) {
            case ACKNOWLEDGE -> message.acknowledge();
            case FAIL -> message.fail();
            case RELEASE -> message.release();
            case REJECT -> message.reject(reason);
        }
    }
}
