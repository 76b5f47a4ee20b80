package io.ringtable.broker.store.sqlserver;

import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.store.jdbc.StoreErrors;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/**
 * Binds a flush and calls the procedure that makes it durable: one round trip, commit included.
 * <p>
 * Thread: any that holds the store's write lock.
 */
final class SqlserverFlush {
    private final SqlserverSession session;

    private final TableParameter<StoredMessage> claims = TableParameter.of("ringtable.message_list")
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
            .integer("login_id")
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

    private final TableParameter<Flush.DispatchBound> dispatched = TableParameter.of("ringtable.dispatched_list")
            .bigint("subscription_id")
            .bigint("dispatched_to")
            .filledBy((cells, d) -> {
                cells[0] = d.subscriptionId();
                cells[1] = d.sequence();
            });

    private final TableParameter<Flush.Produced> producers = TableParameter.of("ringtable.producer_list")
            .bigint("producer_id")
            .bigint("last_number")
            .bigint("used_at")
            .filledBy((cells, p) -> {
                cells[0] = p.producerId();
                cells[1] = p.lastNumber();
                cells[2] = Instants.clamp(p.usedAt());
            });

    private final TableParameter<Flush.DuplicateId> duplicateIds = TableParameter.of("ringtable.duplicate_id_list")
            .bigint("address_id")
            .integer("position")
            .bigint("ordinal")
            .bytes("id", DuplicateId.BYTES_MAX)
            .filledBy((cells, d) -> {
                cells[0] = d.addressId();
                cells[1] = d.position();
                cells[2] = d.ordinal();
                cells[3] = d.id();
            });

    private final TableParameter<Flush.Replayed> replays = TableParameter.of("ringtable.replay_list")
            .bigint("subscription_id")
            .bigint("position")
            .filledBy((cells, r) -> {
                cells[0] = r.subscriptionId();
                cells[1] = r.position();
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
                + flush.dispatchBounds().size();
        PreparedStatement call =
                session.ofShard(statementFor(flush), flush.epoch(), flush.gate(), flush.dispatchBound());
        call.setInt(5, rows);
        claims.bind(call, 6, flush.claims());
        settlements.bind(call, 7, flush.settlements());
        backlogSettlements.bind(call, 8, flush.backlogSettlements());
        redeliveries.bind(call, 9, flush.redeliveries());
        dispatched.bind(call, 10, flush.dispatchBounds());
        if (flush.isOnce() || !flush.inboxIds().isEmpty()) {
            JsonList.bind(call, 11, flush.inboxIds());
        }
        if (flush.isOnce()) {
            call.setInt(
                    12,
                    flush.producers().size()
                            + flush.duplicateIds().size()
                            + flush.replays().size());
            producers.bind(call, 13, flush.producers());
            duplicateIds.bind(call, 14, flush.duplicateIds());
            replays.bind(call, 15, flush.replays());
        }
        SqlserverSession.call(call);
    }

    /** Chooses the shortest call that takes the whole flush. */
    private static SqlserverStatement statementFor(Flush flush) {
        if (flush.isOnce()) {
            return SqlserverStatement.FLUSH_ONCE;
        }
        return flush.inboxIds().isEmpty() ? SqlserverStatement.FLUSH : SqlserverStatement.FLUSH_INBOX;
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

    /** Fills the cells of a claim, in the order of the table type. */
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
        cells[12] = m.loginId();
    }
}
