package io.ringtable.broker.store.postgresql;

import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.LoginRow;
import io.ringtable.broker.store.ProducerRow;
import io.ringtable.broker.store.SubscriptionRow;
import io.ringtable.broker.store.jdbc.Rows;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** Writes changes of the catalogue, in order. Thread: any that holds the store's write lock. */
final class PostgresqlCatalog {
    private final PostgresqlSession session;

    PostgresqlCatalog(PostgresqlSession session) {
        this.session = session;
    }

    void run(long epoch, List<CatalogChange> changes) throws SQLException {
        session.transaction(() -> {
            PostgresqlSession.call(session.ofShard(PostgresqlStatement.CHECK_OWNER, epoch));
            for (CatalogChange change : changes) {
                make(change);
            }
            return null;
        });
    }

    private void make(CatalogChange change) throws SQLException {
        if (change instanceof CatalogChange.CreateAddress c) {
            create(c);
        } else if (change instanceof CatalogChange.DeleteAddress d) {
            session.ofShard(PostgresqlStatement.ALTER_DELETE_REDELIVERIES, d.addressId())
                    .executeUpdate();
            session.ofShard(PostgresqlStatement.ALTER_DELETE_REPLAYS, d.addressId())
                    .executeUpdate();
            session.ofShard(PostgresqlStatement.ALTER_DELETE_SUBSCRIPTIONS, d.addressId())
                    .executeUpdate();
            session.ofShard(PostgresqlStatement.ALTER_DELETE_PRODUCERS, d.addressId())
                    .executeUpdate();
            session.ofShard(PostgresqlStatement.ALTER_DELETE_DUPLICATE_IDS, d.addressId())
                    .executeUpdate();
            one(PostgresqlStatement.ALTER_DELETE_ADDRESS, d.addressId());
        } else if (change instanceof CatalogChange.Subscribe s) {
            subscribe(s.subscription());
        } else if (change instanceof CatalogChange.Unsubscribe u) {
            session.ofShard(PostgresqlStatement.ALTER_FORGET_REPLAY, u.subscriptionId())
                    .executeUpdate();
            one(PostgresqlStatement.ALTER_UNSUBSCRIBE, u.subscriptionId());
            session.ofShard(PostgresqlStatement.ALTER_PURGE_REDELIVERIES, u.subscriptionId(), Long.MAX_VALUE)
                    .executeUpdate();
        } else if (change instanceof CatalogChange.Purge p) {
            PreparedStatement purge = session.bind(
                    PostgresqlStatement.ALTER_PURGE, p.fromSequence(), session.shardId(), p.subscriptionId());
            PostgresqlSession.expectOne(PostgresqlStatement.ALTER_PURGE, purge.executeUpdate());
            session.ofShard(PostgresqlStatement.ALTER_PURGE_REDELIVERIES, p.subscriptionId(), p.fromSequence())
                    .executeUpdate();
        } else if (change instanceof CatalogChange.OwnClient o) {
            own(o);
        } else if (change instanceof CatalogChange.PutSetting p) {
            put(p.setting());
        } else if (change instanceof CatalogChange.DeleteSetting d) {
            PreparedStatement delete = session.ofShard(PostgresqlStatement.ALTER_DELETE_SETTING);
            delete.setString(2, d.kind().stored());
            delete.setString(3, d.name());
            PostgresqlSession.expectOne(PostgresqlStatement.ALTER_DELETE_SETTING, delete.executeUpdate());
        } else if (change instanceof CatalogChange.CreateLogin c) {
            create(c.login());
        } else if (change instanceof CatalogChange.CreateProducer c) {
            create(c.producer());
        } else if (change instanceof CatalogChange.ReopenProducer r) {
            reopen(r);
        } else if (change instanceof CatalogChange.ForgetProducer f) {
            one(PostgresqlStatement.ALTER_FORGET_PRODUCER, f.producerId());
        } else if (change instanceof CatalogChange.KeepDuplicateIds k) {
            keep(k.ids());
        } else if (change instanceof CatalogChange.BeginReplay b) {
            PreparedStatement insert =
                    session.ofShard(PostgresqlStatement.ALTER_BEGIN_REPLAY, b.subscriptionId(), b.position());
            PostgresqlSession.expectOne(PostgresqlStatement.ALTER_BEGIN_REPLAY, insert.executeUpdate());
        } else if (change instanceof CatalogChange.EndReplay e) {
            one(PostgresqlStatement.ALTER_END_REPLAY, e.subscriptionId());
        }
    }

    private void keep(List<Flush.DuplicateId> ids) throws SQLException {
        if (ids.isEmpty()) {
            return;
        }
        PreparedStatement insert = session.ofShard(PostgresqlStatement.ALTER_KEEP_DUPLICATE_ID);
        for (Flush.DuplicateId d : ids) {
            insert.setLong(2, d.addressId());
            insert.setInt(3, d.position());
            insert.setLong(4, d.ordinal());
            insert.setBytes(5, d.id());
            insert.addBatch();
        }
        for (int count : insert.executeBatch()) {
            PostgresqlSession.expectOne(PostgresqlStatement.ALTER_KEEP_DUPLICATE_ID, count);
        }
    }

    private void own(CatalogChange.OwnClient o) throws SQLException {
        if (o.owner() == null) {
            PreparedStatement delete = session.ofShard(PostgresqlStatement.ALTER_DISOWN_CLIENT);
            delete.setString(2, o.clientId());
            delete.executeUpdate();
            return;
        }
        PreparedStatement insert = session.ofShard(PostgresqlStatement.ALTER_OWN_CLIENT);
        insert.setString(2, o.clientId());
        insert.setString(3, o.owner());
        PostgresqlSession.expectOne(PostgresqlStatement.ALTER_OWN_CLIENT, insert.executeUpdate());
    }

    private void create(LoginRow l) throws SQLException {
        PreparedStatement insert = session.ofShard(PostgresqlStatement.ALTER_CREATE_LOGIN);
        insert.setInt(2, l.loginId());
        insert.setString(3, Rows.kind(l.login().kind()));
        insert.setString(4, l.login().name());
        PostgresqlSession.expectOne(PostgresqlStatement.ALTER_CREATE_LOGIN, insert.executeUpdate());
    }

    private void put(Setting s) throws SQLException {
        PreparedStatement insert = session.ofShard(PostgresqlStatement.ALTER_PUT_SETTING);
        insert.setString(2, s.kind().stored());
        insert.setString(3, s.name());
        insert.setString(4, s.document());
        insert.setString(5, s.changedBy());
        insert.setLong(6, s.changedAt().toEpochMilli());
        PostgresqlSession.expectOne(PostgresqlStatement.ALTER_PUT_SETTING, insert.executeUpdate());
    }

    private void reopen(CatalogChange.ReopenProducer r) throws SQLException {
        PreparedStatement update =
                session.bind(PostgresqlStatement.ALTER_REOPEN_PRODUCER, r.incarnation(), r.openedAt());
        update.setString(3, r.owner());
        update.setLong(4, session.shardId());
        update.setLong(5, r.producerId());
        PostgresqlSession.expectOne(PostgresqlStatement.ALTER_REOPEN_PRODUCER, update.executeUpdate());
    }

    private void create(ProducerRow p) throws SQLException {
        PreparedStatement insert = session.ofShard(
                PostgresqlStatement.ALTER_CREATE_PRODUCER,
                p.producerId(),
                p.addressId(),
                p.incarnation(),
                p.lastNumber());
        insert.setString(6, p.name());
        insert.setLong(7, p.usedAt());
        insert.setString(8, p.owner());
        PostgresqlSession.expectOne(PostgresqlStatement.ALTER_CREATE_PRODUCER, insert.executeUpdate());
        raiseNextId(p.producerId());
    }

    private void create(CatalogChange.CreateAddress c) throws SQLException {
        PreparedStatement insert = session.ofShard(PostgresqlStatement.ALTER_CREATE_ADDRESS, c.addressId());
        insert.setString(3, c.name());
        insert.setString(4, Rows.kind(c.kind()));
        insert.setLong(5, c.quotaMessages());
        insert.setLong(6, c.quotaBytes());
        PostgresqlSession.expectOne(PostgresqlStatement.ALTER_CREATE_ADDRESS, insert.executeUpdate());
        raiseNextId(c.addressId());
    }

    private void subscribe(SubscriptionRow s) throws SQLException {
        PreparedStatement insert =
                session.ofShard(PostgresqlStatement.ALTER_SUBSCRIBE, s.subscriptionId(), s.addressId());
        insert.setString(4, s.clientId());
        insert.setString(5, s.name());
        insert.setInt(6, s.group());
        insert.setInt(7, s.bit());
        insert.setLong(8, s.fromSequence());
        insert.setLong(9, s.dispatchBound());
        insert.setString(10, s.selector());
        insert.setBoolean(11, s.noLocal());
        insert.setBoolean(12, s.shared());
        PostgresqlSession.expectOne(PostgresqlStatement.ALTER_SUBSCRIBE, insert.executeUpdate());
        raiseNextId(s.subscriptionId());
    }

    private void raiseNextId(long id) throws SQLException {
        PreparedStatement update = session.bind(PostgresqlStatement.ALTER_NEXT_ID, id, session.shardId());
        PostgresqlSession.expectOne(PostgresqlStatement.ALTER_NEXT_ID, update.executeUpdate());
    }

    private void one(PostgresqlStatement statement, long id) throws SQLException {
        PostgresqlSession.expectOne(statement, session.ofShard(statement, id).executeUpdate());
    }
}
