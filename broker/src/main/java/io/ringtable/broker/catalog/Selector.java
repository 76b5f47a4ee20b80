package io.ringtable.broker.catalog;

import io.ringtable.broker.message.Message;

/**
 * Decides which messages of a topic a subscription wants (Jakarta Messaging 3.1 section 3.8). Two selectors of the same
 * text are equal.
 * <p>
 * Thread: any.
 */
public interface Selector {

    /** Returns the text that the client wrote. */
    String text();

    /** Answers whether the subscription wants the message; false also if the result is unknown. Never throws. */
    boolean matches(Message message);

    /**
     * Returns why the selector cannot be evaluated; null if it can. Only a selector that an earlier version stored
     * cannot.
     */
    default String defect() {
        return null;
    }

    /**
     * Stands for a stored selector that cannot be compiled any more. Its subscription is parked and owes every message,
     * so that it loses none that it may want.
     *
     * @param defect the reason, for the operator
     */
    record Unreadable(String text, String defect) implements Selector {
        @Override
        public boolean matches(Message message) {
            return true;
        }
    }

    /** Compiles the texts of selectors. */
    @FunctionalInterface
    interface Compiler {
        /** @throws IllegalArgumentException if the text is no selector; the message says where it is wrong */
        Selector compile(String text);
    }
}
