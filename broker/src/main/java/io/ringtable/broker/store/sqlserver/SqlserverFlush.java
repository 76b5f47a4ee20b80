package io.ringtable.broker.store.sqlserver;

import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.store.jdbc.StoreErrors;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/**
 * Binds a batch and calls the procedure that makes it durable: one round trip, commit included.
 * <p>
 * Thread: whoever holds the store's write lock.
 */
final class SqlserverFlush {
    private final SqlserverSession session;

    private final TableParameter<StoredMessage> claims = TableParameter.of("ringtable.claim_list")
            .bigint("sequence")
            .bigint("address_id")
            .bigint("published_at")
            .smallint("priority")
            .bigint("expires_at")
            .bigint("deliver_at")
            .smallint("group_no")
            .smallint("reference_count")
            .bigint("pending")
            .bigint("body_id")
            .integer("body_bytes")
            .bytes("body", SqlserverDialect.SLOT_BYTES)
            .filledBy(SqlserverFlush::claim);

    private final TableParameter<Flush.Settlement> settlements = TableParameter.of("ringtable.settlement_list")
            .bigint("block")
            .smallint("bit")
            .bytes("settled", RingGeometry.BLOCK_BYTES)
            .filledBy((cells, s) -> {
                cells[0] = s.block();
                cells[1] = s.bit();
                cells[2] = s.settled();
            });

    private final TableParameter<Flush.BacklogSettlement> backlogSettlements = TableParameter.of(
                    "ringtable.backlog_settlement_list")
            .bigint("address_id")
            .bigint("block")
            .smallint("bit")
            .bytes("settled", RingGeometry.BLOCK_BYTES)
            .filledBy((cells, s) -> {
                cells[0] = s.addressId();
                cells[1] = s.block();
                cells[2] = s.bit();
                cells[3] = s.settled();
            });

    private final TableParameter<Flush.Redelivery> redeliveries = TableParameter.of("ringtable.redelivery_list")
            .bigint("sequence")
            .bigint("subscription_id")
            .integer("count")
            .bigint("not_before")
            .filledBy((cells, r) -> {
                cells[0] = r.sequence();
                cells[1] = r.subscriptionId();
                cells[2] = r.count();
                cells[3] = Instants.clamp(r.notBefore());
            });

    private final TableParameter<Flush.DispatchedTo> dispatched = TableParameter.of("ringtable.dispatched_list")
            .bigint("subscription_id")
            .bigint("dispatched_to")
            .filledBy((cells, d) -> {
                cells[0] = d.subscriptionId();
                cells[1] = d.sequence();
            });

    SqlserverFlush(SqlserverSession session) {
        this.session = session;
    }

    void run(Flush flush) throws SQLException {
        check(flush.claims());
        int rows = flush.claims().size()
                + flush.settlements().size()
                + flush.backlogSettlements().size()
                + flush.redeliveries().size()
                + flush.dispatchedTo().size();
        boolean collected = !flush.inboxIds().isEmpty();
        PreparedStatement call = session.ofShard(
                collected ? SqlserverStatement.FLUSH_INBOX : SqlserverStatement.FLUSH,
                flush.epoch(),
                flush.gate(),
                flush.dispatchBound());
        call.setInt(5, rows);
        claims.bind(call, 6, flush.claims());
        settlements.bind(call, 7, flush.settlements());
        backlogSettlements.bind(call, 8, flush.backlogSettlements());
        redeliveries.bind(call, 9, flush.redeliveries());
        dispatched.bind(call, 10, flush.dispatchedTo());
        if (collected) {
            JsonList.bind(call, 11, flush.inboxIds());
        }
        SqlserverSession.call(call);
    }

    private static void check(List<StoredMessage> messages) {
        if (messages.size() > SqlserverDialect.FLUSH_MESSAGES_MAX) {
            throw StoreErrors.refused(
                    "a flush of " + messages.size() + " messages > " + SqlserverDialect.FLUSH_MESSAGES_MAX);
        }
        for (int i = 1; i < messages.size(); i++) {
            if (messages.get(i).sequence() != messages.get(i - 1).sequence() + 1) {
                throw StoreErrors.corrupt("claim " + messages.get(i).sequence() + " does not follow "
                        + messages.get(i - 1).sequence());
            }
        }
    }

    /** In the order of the table type. */
    private static void claim(Object[] cells, StoredMessage m) {
        cells[0] = m.sequence();
        cells[1] = m.addressId();
        cells[2] = Instants.clamp(m.publishedAt());
        cells[3] = m.priority();
        cells[4] = Instants.clamp(m.expiresAt());
        cells[5] = Instants.clamp(m.deliverAt());
        cells[6] = m.group();
        cells[7] = m.referenceCount();
        cells[8] = m.pending();
        cells[9] = m.bodyId() == 0 ? null : m.bodyId();
        cells[10] = m.bodyBytes();
        cells[11] = m.bodyId() == 0 ? m.body() : null;
    }
}
