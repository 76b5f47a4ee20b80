package io.ringtable.benchmarks.design;

import java.util.Locale;

/** Names the statements of a design in SQLite; the parts of a design have them as files of these names. */
enum DesignStatement {
    NEXT_PUSH,
    PUSH_ONE,
    PUSHED,
    NEXT_POP,
    POP_ONE,
    POPPED,
    /** Says which number comes next after a pop that found nothing; without it the popper asks anew. */
    AFTER_MISS,
    /** Runs after a message was popped; a design may have none. */
    AFTER_POP,
    /** Makes the slots; a queue of rows has none. */
    FILL,
    ACCOUNTS;

    String file() {
        return name().toLowerCase(Locale.ROOT);
    }
}
