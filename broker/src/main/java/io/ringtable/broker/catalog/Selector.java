package io.ringtable.broker.catalog;

import io.ringtable.broker.message.Message;

/**
 * Which messages of a topic a subscription wants (Jakarta Messaging 3.1 section 3.8). Two of the same text are equal.
 * <p>
 * Thread: any.
 */
public interface Selector {

    /** As the client wrote it. */
    String text();

    /** Whether it wants the message; false also where that is unknown. Never throws. */
    boolean matches(Message message);

    /** Knows the grammar. */
    @FunctionalInterface
    interface Compiler {
        /** @throws IllegalArgumentException if the text is no selector; says where it is wrong */
        Selector compile(String text);
    }
}
