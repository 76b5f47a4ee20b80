package io.ringtable.broker.store;

/**
 * A verb of the store that did not do what it was asked. Nothing of its transaction is durable, unless the kind is
 * {@link Kind#OUTCOME_UNKNOWN}.
 */
public final class StoreFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What the caller can conclude. */
    public enum Kind {
        /** Rolled back for a passing reason (deadlock, busy): the same call may be made again. */
        RETRYABLE,
        /** Rolled back because of a row: run again in parts until the offender stands alone. */
        REFUSED,
        /** Rolled back, the store has no room or is read-only: no write passes until an operator acts. */
        NOT_WRITABLE,
        /** The store cannot be reached; the transaction had not been sent to commit. */
        UNAVAILABLE,
        /** The connection was lost, or time ran out, while a commit was under way: it may have happened or not. */
        OUTCOME_UNKNOWN,
        /** The shard has another epoch: this node is not its owner any more. */
        FENCED,
        /** A row count or a relation that must hold does not: the shard stops, nothing was changed. */
        CORRUPT,
        /** The database is unknown, too old, newer than this broker or not Ringtable's: nothing was touched. */
        UNSUPPORTED
    }

    private final Kind kind;
    private final String code;

    /** @param code stable, {@code RT-3nnn}; it also begins the message */
    public StoreFailure(Kind kind, String code, String message, Throwable cause) {
        super(code + " " + message, cause);
        this.kind = kind;
        this.code = code;
    }

    public StoreFailure(Kind kind, String code, String message) {
        this(kind, code, message, null);
    }

    public Kind kind() {
        return kind;
    }

    public String code() {
        return code;
    }
}
