package io.ringtable.broker.store;

/**
 * Reports that a verb of the store did not do what it was asked. Nothing of its transaction is durable, unless the kind
 * is {@link Kind#OUTCOME_UNKNOWN}.
 */
public final class StoreFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Says what the caller can conclude. */
    public enum Kind {
        /** Means a rollback for a passing reason (deadlock, busy): the caller may repeat the call. */
        RETRYABLE,
        /** Means a rollback because of a row: the caller runs the parts alone until only the offender is left. */
        REFUSED,
        /** Means a rollback because the store has no room or is read-only: no write passes until an operator acts. */
        NOT_WRITABLE,
        /** Means that the store cannot be reached; the transaction had not been sent to commit. */
        UNAVAILABLE,
        /** Means that the connection was lost, or time ran out, during a commit: it may have happened or not. */
        OUTCOME_UNKNOWN,
        /** Means that the shard has another epoch: this node is not its owner any more. */
        FENCED,
        /** Means that a row count or a relation that must hold does not: the shard stops, nothing was changed. */
        CORRUPT,
        /**
         * Means that the database is unknown, too old, newer than this broker or not Ringtable's: nothing was touched.
         */
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

    /** Tells whether the failure may be over in a moment, so that a shard may be taken then. */
    public boolean isPassing() {
        return switch (kind) {
            case UNAVAILABLE, OUTCOME_UNKNOWN, RETRYABLE, NOT_WRITABLE, FENCED -> true; // a faster node fences
            case REFUSED, CORRUPT, UNSUPPORTED -> false;
        };
    }
}
