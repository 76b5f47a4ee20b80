package io.ringtable.spring.internal.consume;

import io.ringtable.client.ReceivedMessage;
import java.util.List;

/**
 * Processes what a consumer has taken from its link, and settles it.
 * <p>
 * Thread: any, as the consumers of a listener share it; one call is one consumer's.
 */
public interface BatchProcessor {

    /**
     * Processes messages of one subscription.
     *
     * @param messages at least one, in their order
     * @param subscription its name, or null
     * @return false if nothing can be processed now, since no transaction could begin: the messages are released, and
     *     the caller should pause
     */
    boolean process(List<ReceivedMessage> messages, String subscription);
}
