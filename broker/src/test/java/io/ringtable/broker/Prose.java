package io.ringtable.broker;

import java.util.regex.Pattern;

/** Finds the phrases and the openings of sentences that an English reader stumbles over. */
final class Prose {
    private static final Pattern PHRASE =
            Pattern.compile("\\b(as what|but for|for so long|even so)\\b", Pattern.CASE_INSENSITIVE);
    /** At the beginning of a paragraph, an item or a cell, or behind a sentence, and not in a question. */
    private static final Pattern OPENING =
            Pattern.compile("(?:^(?:\\s*(?:[-*>]|\\d+\\.)\\s+)?|[.!?]\\s+|\\|\\s+)(?:\\*\\*)?"
                    + "(?:Who|Whom|Whose|Whoever|What|Whatever|That which)\\b[^?|]*(?:[.:;|]|$)");

    private Prose() {}

    /** Says whether a paragraph, given in one line, has such a phrase or opening. */
    static boolean isStumbledOver(String paragraph) {
        return PHRASE.matcher(paragraph).find() || OPENING.matcher(paragraph).find();
    }
}
