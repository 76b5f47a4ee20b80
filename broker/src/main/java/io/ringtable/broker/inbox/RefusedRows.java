package io.ringtable.broker.inbox;

import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.message.Refusal;
import java.util.HashMap;
import java.util.Map;

/**
 * Finds a row that the store refuses by halving the portion that has it. The row then becomes a dead letter with the
 * refusal as its reason.
 * <p>
 * Thread: inbox-collector.
 */
final class RefusedRows {
    /** The code for a row that the store refuses: see StoreFailure.Kind.REFUSED. */
    private static final String ROW_REFUSED = "RT-3011";
    /** The code for more rows than one flush takes. */
    private static final String TOO_MANY_ROWS = "RT-2015";

    private final int most;
    private final Map<Long, String> reasons = new HashMap<>(); // by id of the row
    private int rowsMax;

    /** @param most rows of a look while none is looked for */
    RefusedRows(int most) {
        this.most = most;
        this.rowsMax = most;
    }

    int rowsMax() {
        return rowsMax;
    }

    /** Tells whether fewer rows are read than usual. */
    boolean isLookingForOne() {
        return rowsMax < most;
    }

    /** Returns why the ring does not take the row; null if it may. */
    String reason(long id) {
        return reasons.get(id);
    }

    /** Hears that the store has taken a portion. */
    void passed(Portion portion) {
        rowsMax = Math.min(most, 2 * rowsMax);
        portion.forEachMessageId(reasons::remove);
    }

    /** Tells whether rows of the portion are the cause, rather than the store or an address. */
    static boolean areInFault(Portion portion, Refusal refusal) {
        boolean ofARow = refusal.code().equals(ROW_REFUSED) || refusal.code().equals(TOO_MANY_ROWS);
        return ofARow && portion.messages() > 0;
    }

    void halve(Portion portion) {
        rowsMax = Math.max(1, portion.size() / 2);
    }

    /** Has the row become a dead letter. @return false if it was one already, and the store refused that too */
    boolean bury(InboxMessage row, Refusal refusal) {
        if (reasons.put(row.id(), refusal.toString()) == null) {
            return true;
        }
        reasons.remove(row.id());
        return false;
    }
}
