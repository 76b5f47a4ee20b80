package io.ringtable.broker.store.postgresql;

import io.ringtable.broker.message.PublisherLogin;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.store.jdbc.StoreErrors;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * Binds a flush and calls the function that makes it durable: one round trip, commit included.
 * <p>
 * Thread: any that holds the store's write lock.
 */
final class PostgresqlFlush {
    private static final int PRIORITY_NORMAL = 4; // the function's default

    private final PostgresqlSession session;
    private final PostgresqlSegments segments;
    private final Claims claims = new Claims();
    private final Settlements settlements = new Settlements();
    private final Settlements backlogSettlements = new Settlements();
    private final ArrayParameter redeliverySequences = ArrayParameter.ofLongs();
    private final ArrayParameter redeliverySubscriptions = ArrayParameter.ofLongs();
    private final ArrayParameter redeliveryCounts = ArrayParameter.ofInts();
    private final ArrayParameter redeliveryNotBefore = ArrayParameter.ofInstants();
    private final ArrayParameter dispatchedSubscriptions = ArrayParameter.ofLongs();
    private final ArrayParameter dispatchBounds = ArrayParameter.ofLongs();
    private final ArrayParameter inboxIds = ArrayParameter.ofLongs();
    private final ArrayParameter producerIds = ArrayParameter.ofLongs();
    private final ArrayParameter relayNumbers = ArrayParameter.ofLongs();
    private final ArrayParameter usedAt = ArrayParameter.ofInstants();
    private final ArrayParameter idAddresses = ArrayParameter.ofLongs();
    private final ArrayParameter idPositions = ArrayParameter.ofInts();
    private final ArrayParameter idOrdinals = ArrayParameter.ofLongs();
    private final ArrayParameter ids = ArrayParameter.ofBytes();
    private final ArrayParameter replaySubscriptions = ArrayParameter.ofLongs();
    private final ArrayParameter replayPositions = ArrayParameter.ofLongs();
    private long next = -1; // as the tables have it; -1 = unknown

    PostgresqlFlush(PostgresqlSession session, PostgresqlSegments segments) {
        this.session = session;
        this.segments = segments;
    }

    /** Returns the sequence after the highest one in the ring, or the gate of an empty ring. */
    long next() throws SQLException {
        if (next < 0) {
            try (ResultSet row =
                    session.ofShard(PostgresqlStatement.RECOVER_HIGHEST).executeQuery()) {
                next = row.next() ? row.getLong(1) : 0;
            }
        }
        return next;
    }

    /**
     * Takes over the next sequence from tables that were just read; {@code -1} if another node may have written them.
     */
    void next(long sequence) {
        next = sequence;
    }

    void run(Flush flush) throws SQLException {
        List<StoredMessage> messages = flush.claims();
        if (messages.size() > PostgresqlDialect.FLUSH_MESSAGES_MAX) {
            throw StoreErrors.refused(
                    "a flush of " + messages.size() + " messages > " + PostgresqlDialect.FLUSH_MESSAGES_MAX);
        }
        PreparedStatement call = session.ofShard(statementFor(flush), flush.epoch(), flush.gate());
        call.setLong(4, flush.dispatchBound());
        call.setLong(5, messages.isEmpty() ? 0 : messages.get(0).sequence());
        call.setInt(6, messages.size());
        int parameter = claims.bind(call, 7, messages);
        settlements.clear();
        flush.settlements().forEach(s -> settlements.add(s.block(), s.bit(), s.settled()));
        parameter = settlements.bind(call, parameter);
        backlogSettlements.clear();
        for (Flush.BacklogSettlement s : flush.backlogSettlements()) {
            backlogSettlements.add(s.block(), s.bit(), s.settled());
            backlogSettlements.addresses.addLong(s.addressId());
        }
        call.setObject(parameter, backlogSettlements.addresses);
        parameter = backlogSettlements.bind(call, parameter + 1);
        parameter = bindRest(call, parameter, flush);
        if (flush.isOnce() || !flush.inboxIds().isEmpty()) {
            inboxIds.clear();
            flush.inboxIds().forEach(inboxIds::addLong);
            call.setObject(parameter++, inboxIds);
        }
        if (flush.isOnce()) {
            bindOnce(call, parameter, flush);
        }
        try {
            call(call, flush);
        } catch (SQLException e) {
            if (!PostgresqlDialect.SEGMENT_MISSING.equals(e.getSQLState())) {
                throw e;
            }
            segments.prepare(flush.epoch(), next);
            call(call, flush);
        }
        next += messages.size();
    }

    /** Chooses the shortest call that takes the whole flush. */
    private static PostgresqlStatement statementFor(Flush flush) {
        if (flush.isOnce()) {
            return PostgresqlStatement.FLUSH_ONCE;
        }
        return flush.inboxIds().isEmpty() ? PostgresqlStatement.FLUSH : PostgresqlStatement.FLUSH_INBOX;
    }

    private void call(PreparedStatement call, Flush flush) throws SQLException {
        if (!flush.claims().isEmpty() && flush.claims().get(0).sequence() != next()) {
            checkOwner(flush.epoch()); // a fenced node cannot know the next sequence
            throw StoreErrors.corrupt("the first claim has sequence "
                    + flush.claims().get(0).sequence() + " where " + next + " follows in the ring");
        }
        PostgresqlSession.call(call);
    }

    private void checkOwner(long epoch) throws SQLException {
        PostgresqlSession.call(session.ofShard(PostgresqlStatement.CHECK_OWNER, epoch));
    }

    private int bindRest(PreparedStatement call, int from, Flush flush) throws SQLException {
        redeliverySequences.clear();
        redeliverySubscriptions.clear();
        redeliveryCounts.clear();
        redeliveryNotBefore.clear();
        for (Flush.Redelivery r : flush.redeliveries()) {
            redeliverySequences.addLong(r.sequence());
            redeliverySubscriptions.addLong(r.subscriptionId());
            redeliveryCounts.addInt(r.count());
            redeliveryNotBefore.addInstantOrNull(r.notBefore());
        }
        dispatchedSubscriptions.clear();
        dispatchBounds.clear();
        for (Flush.DispatchBound d : flush.dispatchBounds()) {
            dispatchedSubscriptions.addLong(d.subscriptionId());
            dispatchBounds.addLong(d.sequence());
        }
        int parameter = from;
        call.setObject(parameter++, redeliverySequences);
        call.setObject(parameter++, redeliverySubscriptions);
        call.setObject(parameter++, redeliveryCounts);
        call.setObject(parameter++, redeliveryNotBefore);
        call.setObject(parameter++, dispatchedSubscriptions);
        call.setObject(parameter++, dispatchBounds);
        return parameter;
    }

    private void bindOnce(PreparedStatement call, int from, Flush flush) throws SQLException {
        producerIds.clear();
        relayNumbers.clear();
        usedAt.clear();
        for (Flush.Produced p : flush.producers()) {
            producerIds.addLong(p.producerId());
            relayNumbers.addLong(p.lastNumber());
            usedAt.addInstant(p.usedAt());
        }
        idAddresses.clear();
        idPositions.clear();
        idOrdinals.clear();
        ids.clear();
        for (Flush.DuplicateId d : flush.duplicateIds()) {
            idAddresses.addLong(d.addressId());
            idPositions.addInt(d.position());
            idOrdinals.addLong(d.ordinal());
            ids.addBytes(d.id());
        }
        replaySubscriptions.clear();
        replayPositions.clear();
        for (Flush.Replayed r : flush.replays()) {
            replaySubscriptions.addLong(r.subscriptionId());
            replayPositions.addLong(r.position());
        }
        int parameter = from;
        call.setObject(parameter++, producerIds);
        call.setObject(parameter++, relayNumbers);
        call.setObject(parameter++, usedAt);
        call.setObject(parameter++, idAddresses);
        call.setObject(parameter++, idPositions);
        call.setObject(parameter++, idOrdinals);
        call.setObject(parameter++, ids);
        call.setObject(parameter++, replaySubscriptions);
        call.setObject(parameter, replayPositions);
    }

    /** Collects the claims, column by column. A column with the usual value in every message is sent empty. */
    private static final class Claims {
        private final ArrayParameter addresses = ArrayParameter.ofLongs();
        private final ArrayParameter pending = ArrayParameter.ofLongs();
        private final ArrayParameter publishedAt = ArrayParameter.ofInstants();
        private final ArrayParameter priorities = ArrayParameter.ofShorts();
        private final ArrayParameter expiresAt = ArrayParameter.ofInstants();
        private final ArrayParameter deliverAt = ArrayParameter.ofInstants();
        private final ArrayParameter groups = ArrayParameter.ofShorts();
        private final ArrayParameter bodyIds = ArrayParameter.ofLongs();
        private final ArrayParameter bodyBytes = ArrayParameter.ofInts();
        private final ArrayParameter bodies = ArrayParameter.ofBytes();
        private final ArrayParameter logins = ArrayParameter.ofInts();
        private final ArrayParameter[] columns = { // in the order of the function's parameters
            addresses,
            pending,
            publishedAt,
            priorities,
            expiresAt,
            deliverAt,
            groups,
            bodyIds,
            bodyBytes,
            bodies,
            logins
        };

        int bind(PreparedStatement call, int from, List<StoredMessage> messages) throws SQLException {
            boolean priority = false;
            boolean expires = false;
            boolean delayed = false;
            boolean grouped = false;
            boolean staged = false;
            boolean loggedIn = false;
            for (ArrayParameter column : columns) {
                column.clear();
            }
            long expected = messages.isEmpty() ? 0 : messages.get(0).sequence();
            for (StoredMessage m : messages) {
                if (m.sequence() != expected++) {
                    throw StoreErrors.corrupt("sequence " + m.sequence() + " follows " + (expected - 2)
                            + " in one batch: claims leave no hole");
                }
                addresses.addLong(m.addressId());
                pending.addLong(m.pending());
                publishedAt.addInstant(m.publishedAt());
                priority |= m.priority() != PRIORITY_NORMAL;
                expires |= m.expiresAt() != 0;
                delayed |= m.deliverAt() != 0;
                grouped |= m.group() != 0;
                staged |= m.bodyId() != 0;
                loggedIn |= m.loginId() != PublisherLogin.NOBODY_ID;
                if (m.bodyId() == 0) {
                    bodies.addBytes(m.body());
                } else {
                    bodies.addNull();
                }
            }
            for (StoredMessage m : messages) {
                if (priority) {
                    priorities.addShort(m.priority());
                }
                if (expires) {
                    expiresAt.addInstantOrNull(m.expiresAt());
                }
                if (delayed) {
                    deliverAt.addInstantOrNull(m.deliverAt());
                }
                if (grouped) {
                    groups.addShort(m.group());
                }
                if (staged) {
                    addStaged(m);
                }
                if (loggedIn) {
                    addLogin(m);
                }
            }
            int parameter = from;
            for (ArrayParameter column : columns) {
                call.setObject(parameter++, column);
            }
            return parameter;
        }

        private void addLogin(StoredMessage m) {
            if (m.loginId() == PublisherLogin.NOBODY_ID) {
                logins.addNull();
            } else {
                logins.addInt(m.loginId());
            }
        }

        private void addStaged(StoredMessage m) {
            if (m.bodyId() == 0) {
                bodyIds.addNull();
                bodyBytes.addNull();
            } else {
                bodyIds.addLong(m.bodyId());
                bodyBytes.addInt(m.bodyBytes());
            }
        }
    }

    /** Collects ledger rows, column by column. */
    private static final class Settlements {
        private final ArrayParameter addresses = ArrayParameter.ofLongs(); // for the backlog only
        private final ArrayParameter blocks = ArrayParameter.ofLongs();
        private final ArrayParameter bits = ArrayParameter.ofShorts();
        private final ArrayParameter settled = ArrayParameter.ofBytes();

        void clear() {
            addresses.clear();
            blocks.clear();
            bits.clear();
            settled.clear();
        }

        void add(long block, int bit, byte[] bitmap) {
            blocks.addLong(block);
            bits.addShort(bit);
            settled.addBytes(bitmap);
        }

        int bind(PreparedStatement call, int from) throws SQLException {
            call.setObject(from, blocks);
            call.setObject(from + 1, bits);
            call.setObject(from + 2, settled);
            return from + 3;
        }
    }
}
