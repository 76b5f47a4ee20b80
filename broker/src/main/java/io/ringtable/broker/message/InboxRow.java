package io.ringtable.broker.message;

/** What an application has laid down in the inbox inside a transaction of its own, now committed. */
public sealed interface InboxRow permits InboxMessage, InboxSettlement {

    /** Rises with every row; a lower one may become visible later. */
    long id();

    /** Since it was laid down, in ms, by the database's clock. */
    long ageMs();
}
