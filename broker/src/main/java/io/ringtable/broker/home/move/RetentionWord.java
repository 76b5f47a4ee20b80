package io.ringtable.broker.home.move;

import io.ringtable.broker.catalog.RetainedMessages;
import io.ringtable.broker.store.directory.HomeRow;

/**
 * Says in the row of a topic that moves what each home has to know of the other one, whichever nodes have them (ADR
 * 88). The owner of the old home says the first, that of the next home the second. Neither is ever taken back.
 *
 * @param onlyKeeps whether the old home owes nothing but what it keeps for later subscriptions
 * @param used how many eighths of what the topic may keep the next home uses, 0 to 8: so much the old home gives up
 */
record RetentionWord(boolean onlyKeeps, int used) {
    static final RetentionWord NONE = new RetentionWord(false, 0);

    private static final String BEGIN = "//kept ";
    private static final String ONLY = "only ";

    RetentionWord {
        if (used < 0 || used > RetainedMessages.EIGHTHS) {
            throw new IllegalArgumentException("used=" + used + " eighths");
        }
    }

    /** Reads what the row of a topic says; {@link #NONE} if it says nothing of it. */
    static RetentionWord of(HomeRow row) {
        if (!row.owner().startsWith(BEGIN)) {
            return NONE;
        }
        String said = row.owner().substring(BEGIN.length());
        boolean onlyKeeps = said.startsWith(ONLY);
        return new RetentionWord(onlyKeeps, Integer.parseInt(onlyKeeps ? said.substring(ONLY.length()) : said));
    }

    /** Returns a row that says what both words say. */
    HomeRow and(HomeRow row) {
        RetentionWord before = of(row);
        boolean only = onlyKeeps || before.onlyKeeps;
        return row.saying(BEGIN + (only ? ONLY : "") + Math.max(used, before.used));
    }

    /** Tells whether the other word adds nothing to this one. */
    boolean covers(RetentionWord other) {
        return (onlyKeeps || !other.onlyKeeps) && used >= other.used;
    }
}
