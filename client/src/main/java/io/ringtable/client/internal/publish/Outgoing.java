package io.ringtable.client.internal.publish;

import io.ringtable.client.RingtableException;
import java.util.concurrent.CompletableFuture;

/**
 * Carries one message to the broker, and is the future that its publisher holds, unless the message belongs to a group.
 * <p>
 * The message takes its way even if the application completes the future.
 */
final class Outgoing extends CompletableFuture<Void> {

    private final PublishGroup group;
    private final int bytes;
    // Kept until the outcome, to be sent again; then let go, since applications may keep futures.
    private byte[] encoded;
    private long number; // 0 = its publisher has no producer id

    Outgoing(byte[] encoded, PublishGroup group) {
        this.encoded = encoded;
        this.bytes = encoded.length;
        this.group = group;
    }

    byte[] encoded() {
        return encoded;
    }

    int bytes() {
        return bytes;
    }

    long number() {
        return number;
    }

    void number(long given) {
        number = given;
    }

    void accepted() {
        encoded = null;
        if (group == null) {
            complete(null);
        } else {
            group.answered(null);
        }
    }

    void failed(RingtableException cause) {
        encoded = null;
        if (group == null) {
            completeExceptionally(cause);
        } else {
            group.answered(cause);
        }
    }
}
