package io.ringtable.broker.message;

import java.util.Comparator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Matches names of addresses by their words between dots: {@code *} stands for one word, {@code #} for any number of
 * words, none included. Two patterns of the same text are equal.
 * <p>
 * Thread: any; immutable.
 */
public final class AddressPattern {
    private static final String WORD = "*";
    private static final String WORDS = "#";
    private static final String ANY = "(?:.*)";

    /**
     * Puts patterns that say more about a name before those that say less. Compares word by word from the left: a word
     * of its own comes before {@code *}, {@code *} before {@code #}. Of two that are equal so far, the longer comes
     * first. Patterns are never equal to it unless they are equal.
     */
    public static final Comparator<AddressPattern> MOST_SPECIFIC_FIRST = AddressPattern::compare;

    private final String text;
    private final Pattern pattern; // null if the pattern is one name

    /** Reads a pattern; every text is one. */
    public AddressPattern(String text) {
        this.text = text;
        this.pattern = words(text).noneMatch(AddressPattern::isWildcard) ? null : compile(text);
    }

    private static Stream<String> words(String text) {
        return Stream.of(text.split("\\.", -1));
    }

    private static boolean isWildcard(String word) {
        return word.equals(WORD) || word.equals(WORDS);
    }

    private static int compare(AddressPattern one, AddressPattern other) {
        String[] these = one.text.split("\\.", -1);
        String[] those = other.text.split("\\.", -1);
        for (int i = 0; i < Math.min(these.length, those.length); i++) {
            int order = Integer.compare(vagueness(these[i]), vagueness(those[i]));
            if (order != 0) {
                return order;
            }
        }
        return these.length != those.length
                ? Integer.compare(those.length, these.length)
                : one.text.compareTo(other.text);
    }

    private static int vagueness(String word) {
        return switch (word) {
            case WORDS -> 2;
            case WORD -> 1;
            default -> 0;
        };
    }

    private static Pattern compile(String text) {
        String words = words(text).map(AddressPattern::expression).collect(Collectors.joining("\\."));
        // "any number" may be none: then the name has no dot there either
        return Pattern.compile(words.replace("\\." + ANY, "(\\." + ANY + ")?"), Pattern.DOTALL);
    }

    private static String expression(String word) {
        return switch (word) {
            case WORD -> "[^.]+";
            case WORDS -> ANY;
            default -> Pattern.quote(word);
        };
    }

    public boolean matches(String name) {
        return pattern == null ? text.equals(name) : pattern.matcher(name).matches();
    }

    /** Tells whether the pattern has no wildcard, so that it matches the one name that it is. */
    public boolean isName() {
        return pattern == null;
    }

    /** Tells whether the pattern matches every name. */
    public boolean isEveryName() {
        return text.equals(WORDS);
    }

    /** Tells whether a word has a wildcard beside other characters, where it stands for itself. */
    public boolean hasWildcardInsideWord() {
        return words(text).anyMatch(word -> !isWildcard(word) && (word.contains(WORD) || word.contains(WORDS)));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AddressPattern that && that.text.equals(text);
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
