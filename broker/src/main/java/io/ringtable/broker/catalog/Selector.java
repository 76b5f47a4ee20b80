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

    /** Why it cannot be evaluated; null if it can. Only one that was stored by an earlier version cannot. */
    default String defect() {
        return null;
    }

    /**
     * One that is stored and cannot be compiled any more: its subscription is parked and owes every message, so that nothing is lost
     * that it may want.
     *
     * @param defect why, for the operator
     */
    record Unreadable(String text, String defect) implements Selector {
        @Override
        public boolean matches(Message message) {
            return true;
        }
    }

    /** Knows the grammar. */
    @FunctionalInterface
    interface Compiler {
        /** @throws IllegalArgumentException if the text is no selector; says where it is wrong */
        Selector compile(String text);
    }
}
