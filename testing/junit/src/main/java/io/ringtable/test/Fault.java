package io.ringtable.test;

/**
 * Lasts until it is closed, or until the test ends.
 *
 * <pre>{@code
 * Fault full = broker.full("queue://orders");
 * assertThatThrownBy(() -> desk.order("one book")).hasMessageContaining("try again later");
 * full.close();
 * desk.order("one book");
 * }</pre>
 */
@FunctionalInterface
public interface Fault extends AutoCloseable {

    /** Mends what was broken. Closing again does nothing. */
    @Override
    void close();
}
