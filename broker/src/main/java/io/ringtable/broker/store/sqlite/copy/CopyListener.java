package io.ringtable.broker.store.sqlite.copy;

/** Hears how far a copy is. Thread: the one that copies, which goes on when the call returns; nothing may be thrown. */
interface CopyListener {
    /** Hears that so many bytes of the total are copied. */
    void copied(long bytes, long total);

    /** Hears that everything is copied and is read again now. */
    void checking();
}
