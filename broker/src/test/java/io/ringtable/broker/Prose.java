package io.ringtable.broker;

import java.util.List;
import java.util.regex.Pattern;

/** Finds the phrases, the openings and the lengths of sentences that an English reader stumbles over. */
final class Prose {
    /** More words than these are two sentences. */
    static final int WORDS_MAX = 25;

    private static final Pattern PHRASE =
            Pattern.compile("\\b(as what|but for|for so long|even so)\\b", Pattern.CASE_INSENSITIVE);
    /** At the beginning of a paragraph, an item or a cell, or behind a sentence, and not in a question. */
    private static final Pattern OPENING =
            Pattern.compile("(?:^(?:\\s*(?:[-*>]|\\d+\\.)\\s+)?|[.!?]\\s+|\\|\\s+)(?:\\*\\*)?"
                    + "(?:Who|Whom|Whose|Whoever|What|Whatever|That which)\\b[^?|]*(?:[.:;|]|$)");

    /** The end of a sentence, with what closes around it, or of a cell. */
    private static final Pattern END = Pattern.compile("(?<=[.!?])[\"”’)*]*\\s+|\\s*\\|\\s*");
    /** The target of a link, and HTML. */
    private static final Pattern UNSPOKEN = Pattern.compile("]\\([^)]*\\)|<[^<>]+>");

    private static final Pattern WORD = Pattern.compile("\\S*[\\p{L}\\p{N}…]\\S*");

    private Prose() {}

    /** Says whether a paragraph, given in one line, has such a phrase or opening. */
    static boolean isStumbledOver(String paragraph) {
        return PHRASE.matcher(paragraph).find() || OPENING.matcher(paragraph).find();
    }

    /** Returns the sentences of a paragraph, given in one line; a cell of a table ends a sentence. */
    static List<String> sentences(String paragraph) {
        return END.splitAsStream(UNSPOKEN.matcher(paragraph).replaceAll(""))
                .filter(sentence -> words(sentence) > 0)
                .toList();
    }

    /** Counts words; a piece of code or a number is one, a dash is none. */
    static int words(String sentence) {
        return (int) WORD.matcher(sentence).results().count();
    }
}
