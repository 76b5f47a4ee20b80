package io.ringtable.broker.dispatch;

import io.ringtable.broker.catalog.CatalogInbox;
import io.ringtable.broker.commit.CommitterInbox;

/** The doors of one shard, for those who bring clients to it. Thread: any. */
public interface Shard {
    CatalogInbox catalog();

    CommitterInbox committer();

    DispatcherInbox dispatcher();

    AddressPolicies policies();
}
