package io.ringtable.broker.store.sqlserver;

import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.SubscriptionRow;
import io.ringtable.broker.store.jdbc.Rows;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Changes of the catalogue, in order, in one call. Thread: whoever holds the store's write lock. */
final class SqlserverCatalog {
    private static final int NAME_MAX = 400;

    private final SqlserverSession session;

    private final TableParameter<Numbered> changes = TableParameter.of("ringtable.change_list")
            .integer("ordinal")
            .text("change", 20)
            .bigint("address_id")
            .bigint("subscription_id")
            .text("name", NAME_MAX)
            .text("kind", 5)
            .bigint("quota_messages")
            .bigint("quota_bytes")
            .text("client_id", NAME_MAX)
            .smallint("group_no")
            .smallint("bit")
            .bigint("from_sequence")
            .bigint("dispatched_to")
            .longText("selector")
            .smallint("shared")
            .filledBy(SqlserverCatalog::row);

    private record Numbered(int ordinal, CatalogChange change) {}

    SqlserverCatalog(SqlserverSession session) {
        this.session = session;
    }

    void run(long epoch, List<CatalogChange> wanted) throws SQLException {
        List<Numbered> numbered = new ArrayList<>(wanted.size());
        for (CatalogChange change : wanted) {
            numbered.add(new Numbered(numbered.size() + 1, change));
        }
        PreparedStatement call = session.ofShard(SqlserverStatement.ALTER_CATALOG, epoch);
        call.setInt(3, numbered.size());
        changes.bind(call, 4, numbered);
        SqlserverSession.call(call);
    }

    /** In the order of the table type; what a change does not have stays null. */
    private static void row(Object[] cells, Numbered numbered) {
        Arrays.fill(cells, null);
        cells[0] = numbered.ordinal();
        CatalogChange change = numbered.change();
        if (change instanceof CatalogChange.CreateAddress c) {
            cells[1] = "create address";
            cells[2] = c.addressId();
            cells[4] = c.name();
            cells[5] = Rows.kind(c.kind());
            cells[6] = c.quotaMessages();
            cells[7] = c.quotaBytes();
        } else if (change instanceof CatalogChange.DeleteAddress d) {
            cells[1] = "delete address";
            cells[2] = d.addressId();
        } else if (change instanceof CatalogChange.Subscribe s) {
            cells[1] = "subscribe";
            subscribe(cells, s.subscription());
        } else if (change instanceof CatalogChange.Unsubscribe u) {
            cells[1] = "unsubscribe";
            cells[3] = u.subscriptionId();
        } else if (change instanceof CatalogChange.Purge p) {
            cells[1] = "purge";
            cells[3] = p.subscriptionId();
            cells[11] = p.fromSequence();
        }
    }

    private static void subscribe(Object[] cells, SubscriptionRow s) {
        cells[2] = s.addressId();
        cells[3] = s.subscriptionId();
        cells[4] = s.name();
        cells[8] = s.clientId();
        cells[9] = s.group();
        cells[10] = s.bit();
        cells[11] = s.fromSequence();
        cells[12] = s.dispatchedTo() == Flush.DispatchedTo.FOLLOWS ? null : s.dispatchedTo();
        cells[13] = s.selector();
        cells[14] = s.shared() ? 1 : 0;
    }
}
