package io.ringtable.broker.amqp.selector;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import org.apache.activemq.artemis.selector.filter.Expression;

/**
 * How large a selector may be. The selectors' library goes down one or more calls per level, when it parses and when it evaluates, so
 * how deep it gets would depend on how much of it is compiled: a selector that was taken once might not be taken at the next start.
 * And every message of the address is asked every part of it, on a thread that serves everybody.
 * <p>
 * Thread: any; holds nothing.
 */
final class SelectorBounds {
    /** Characters. */
    static final int LENGTH_MAX = 16_384;
    /** Parentheses and signs within each other, and operators whose operands are operators. */
    public static final int DEPTH_MAX = 128;
    /** Names, constants and operators; the strings of an IN count as one. */
    static final int PARTS_MAX = 1_024;

    /** A bound is passed; the text says which. */
    public static final class Passed extends Exception {
        private static final long serialVersionUID = 1L;

        Passed(String text) {
            super(text, null, false, false);
        }
    }

    private record At(Expression expression, int depth) {}

    private SelectorBounds() {}

    /** Before it is parsed. */
    public static void check(String text) throws Passed {
        if (text.length() > LENGTH_MAX) {
            throw new Passed("it has " + text.length() + " characters, at most " + LENGTH_MAX);
        }
        requireStorable(text);
        requireShallow(text);
    }

    /** No store takes a NUL in a text, nor half a character. */
    private static void requireStorable(String text) throws Passed {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean isPair = Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1));
            if (c == 0 || Character.isSurrogate(c) && !isPair) {
                throw new Passed("character " + i + " is none (U+" + Integer.toHexString(c) + ")");
            }
            i += isPair ? 1 : 0;
        }
    }

    /**
     * Counts the levels at which the parser will be, at most: one for each open parenthesis, and one for each sign or NOT before it that
     * still waits for its operand.
     */
    private static void requireShallow(String text) throws Passed {
        Deque<Integer> before = new ArrayDeque<>(); // levels at each open parenthesis
        int depth = 0;
        for (int i = 0; i < text.length(); ) {
            char c = text.charAt(i);
            int next = i + 1;
            if (c == '\'') {
                next = behind(text, "'", i + 1);
                depth = levelOf(before);
            } else if (Character.isWhitespace(c)) {
                next = i + 1;
            } else if (text.startsWith("/*", i) && text.indexOf("*/", i + 2) > 0) {
                next = behind(text, "*/", i + 2);
            } else if (text.startsWith("--", i) && lineEnd(text, i) > 0) {
                next = lineEnd(text, i);
            } else if (c == '(') {
                depth++;
                before.push(depth);
            } else if (c == ')') {
                before.poll();
                depth = levelOf(before);
            } else if (c == '+' || c == '-') {
                depth++;
            } else if (Character.isJavaIdentifierPart(c)) {
                next = wordEnd(text, i);
                boolean isNot = text.substring(i, next).toUpperCase(Locale.ROOT).equals("NOT");
                depth = isNot ? depth + 1 : levelOf(before);
            } else {
                depth = levelOf(before);
            }
            if (depth > DEPTH_MAX) {
                throw new Passed("it is nested too deeply, more than " + DEPTH_MAX + " levels at character " + i);
            }
            i = next;
        }
    }

    private static int levelOf(Deque<Integer> before) {
        return before.isEmpty() ? 0 : before.peek();
    }

    private static int behind(String text, String mark, int from) {
        int found = text.indexOf(mark, from);
        return found < 0 ? text.length() : found + mark.length();
    }

    /** Where the line ends; -1 if it is the last: then the parser takes two signs for two signs. */
    private static int lineEnd(String text, int from) {
        for (int i = from; i < text.length(); i++) {
            if (text.charAt(i) == '\n' || text.charAt(i) == '\r') {
                return i;
            }
        }
        return -1;
    }

    private static int wordEnd(String text, int from) {
        int end = from;
        while (end < text.length() && Character.isJavaIdentifierPart(text.charAt(end))) {
            end++;
        }
        return end;
    }

    /** After it has been parsed. Goes down without recursion. */
    public static void check(Expression root) throws Passed {
        Deque<At> ahead = new ArrayDeque<>();
        ahead.push(new At(root, 1));
        int parts = 0;
        while (!ahead.isEmpty()) {
            At at = ahead.pop();
            if (++parts > PARTS_MAX) {
                throw new Passed("it has more than " + PARTS_MAX
                        + " names, constants and operators: write a chain of comparisons as IN");
            }
            if (at.depth > DEPTH_MAX) {
                throw new Passed("it is nested too deeply, more than " + DEPTH_MAX + " operators within each other");
            }
            LinearLike.operands(at.expression).forEach(each -> ahead.push(new At(each, at.depth + 1)));
        }
    }
}
