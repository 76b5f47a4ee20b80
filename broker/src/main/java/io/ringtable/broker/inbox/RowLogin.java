package io.ringtable.broker.inbox;

import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.message.PublisherLogin;

/** Gives one login to rows of one user of the database that follow each other. Thread: inbox-collector. */
final class RowLogin {
    private PublisherLogin latest = PublisherLogin.UNKNOWN;

    PublisherLogin of(InboxMessage row) {
        PublisherLogin its = PublisherLogin.ofDatabase(row.publishedBy());
        if (!its.equals(latest)) {
            latest = its;
        }
        return latest;
    }
}
