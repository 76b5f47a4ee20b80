package io.ringtable.broker.message;

/** Holds one row that an application wrote into the inbox inside a transaction of its own, now committed. */
public sealed interface InboxRow permits InboxMessage, InboxSettlement {

    /** Returns the row's id. Ids rise with every row; a lower one may become visible later. */
    long id();

    /** Returns the row's age in ms, by the database's clock. */
    long ageMs();
}
