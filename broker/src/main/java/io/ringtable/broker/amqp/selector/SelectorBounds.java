package io.ringtable.broker.amqp.selector;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import org.apache.activemq.artemis.selector.filter.Expression;

/**
 * Limits the size of selectors. The selectors' library recurses per level, both parsing and evaluating. The depth that
 * it survives depends on how much of it is compiled: a selector accepted once might fail at the next start. Every
 * message of the address also meets every part of a selector, on a thread that serves everybody.
 * <p>
 * Thread: any; holds nothing.
 */
final class SelectorBounds {
    /** Limits the characters. */
    static final int LENGTH_MAX = 16_384;
    /** Limits the depth: parentheses and signs within each other, and operators whose operands are operators. */
    public static final int DEPTH_MAX = 128;
    /** Limits the names, constants and operators; the strings of an IN count as one. */
    static final int PARTS_MAX = 1_024;

    /** Says which bound a selector exceeds. */
    public static final class Passed extends Exception {
        private static final long serialVersionUID = 1L;

        Passed(String text) {
            super(text, null, false, false);
        }
    }

    private record At(Expression expression, int depth) {}

    private SelectorBounds() {}

    /** Checks a selector before it is parsed. */
    public static void check(String text) throws Passed {
        if (text.length() > LENGTH_MAX) {
            throw new Passed("it has " + text.length() + " characters, more than " + LENGTH_MAX);
        }
        requireStorable(text);
        requireShallow(text);
    }

    /** Refuses what no store takes: a NUL, and half of a surrogate pair. */
    private static void requireStorable(String text) throws Passed {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean isPair = Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1));
            if (c == 0 || Character.isSurrogate(c) && !isPair) {
                throw new Passed("position " + i + " holds no character (U+" + Integer.toHexString(c) + ")");
            }
            i += isPair ? 1 : 0;
        }
    }

    /**
     * Counts the levels that the parser reaches at most. Each open parenthesis is one, and so is each sign or NOT
     * before it that still waits for its operand.
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

    /** Finds where the line ends; -1 if it is the last: the parser then reads {@code --} as two signs. */
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

    /** Checks a parsed selector. Goes down without recursion. */
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
