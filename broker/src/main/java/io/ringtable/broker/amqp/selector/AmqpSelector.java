package io.ringtable.broker.amqp.selector;

import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.message.Message;
import org.apache.activemq.artemis.selector.filter.BooleanExpression;
import org.apache.activemq.artemis.selector.filter.FilterException;
import org.apache.activemq.artemis.selector.impl.SelectorParser;

/**
 * A JMS selector over an encoded AMQP message; Artemis' selector library parses and evaluates it.
 * <p>
 * Thread: any: an expression keeps no state.
 */
public final class AmqpSelector implements Selector {
    /** Characters of a selector in an error. */
    private static final int SHOWN_MAX = 1_000;

    private final String text;
    private final BooleanExpression expression;

    private AmqpSelector(String text, BooleanExpression expression) {
        this.text = text;
        this.expression = expression;
    }

    /** {@link Selector.Compiler}. */
    public static Selector compile(String text) {
        try {
            SelectorBounds.check(text);
            BooleanExpression expression = SelectorParser.parse(text);
            SelectorBounds.check(expression);
            LinearLike.in(expression);
            return new AmqpSelector(text, expression);
        } catch (FilterException e) {
            throw new IllegalArgumentException("selector '" + shortened(text) + "': " + where(e), e);
        } catch (SelectorBounds.Passed e) {
            throw new IllegalArgumentException("selector '" + shortened(text) + "': " + e.getMessage(), e);
        } catch (StackOverflowError e) { // within the bounds it cannot be, but this is a thread that serves everybody
            throw new IllegalArgumentException("selector '" + shortened(text) + "': it is nested too deeply", e);
        }
    }

    private static String shortened(String text) {
        return text.length() <= SHOWN_MAX ? text : text.substring(0, SHOWN_MAX) + "…";
    }

    private static String where(FilterException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return cause instanceof StackOverflowError
                ? "it is nested too deeply"
                : firstLine(String.valueOf(cause.getMessage()));
    }

    /** The parser goes on to list every token that it would have liked. */
    private static String firstLine(String message) {
        int end = message.indexOf('\n');
        return (end < 0 ? message : message.substring(0, end)).strip();
    }

    @Override
    public String text() {
        return text;
    }

    @Override
    public boolean matches(Message message) {
        try {
            return expression.matches(SelectedMessage.of(message));
        } catch (FilterException | RuntimeException | StackOverflowError e) {
            // Its types do not fit: unknown. The library throws what it likes for a text in arithmetic.
            // No stack overflows within the bounds, but this is a thread that serves everybody.
            return false;
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AmqpSelector that && that.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
