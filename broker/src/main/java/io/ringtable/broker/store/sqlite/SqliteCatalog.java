package io.ringtable.broker.store.sqlite;

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
final class SqliteCatalog {
    private final SqliteTransaction transaction;

    SqliteCatalog(SqliteTransaction transaction) {
        this.transaction = transaction;
    }

    void run(long epoch, List<CatalogChange> changes) throws SQLException {
        transaction.asOwner(epoch, owner -> {
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
            transaction.update(SqliteStatement.ALTER_DELETE_REDELIVERIES, d.addressId());
            transaction.update(SqliteStatement.ALTER_DELETE_REPLAYS, d.addressId());
            transaction.update(SqliteStatement.ALTER_DELETE_SUBSCRIPTIONS, d.addressId());
            transaction.update(SqliteStatement.ALTER_DELETE_PRODUCERS, d.addressId());
            transaction.update(SqliteStatement.ALTER_DELETE_DUPLICATE_IDS, d.addressId());
            transaction.updateOne(SqliteStatement.ALTER_DELETE_ADDRESS, d.addressId());
        } else if (change instanceof CatalogChange.Subscribe s) {
            subscribe(s.subscription());
        } else if (change instanceof CatalogChange.Unsubscribe u) {
            transaction.update(SqliteStatement.ALTER_FORGET_REPLAY, u.subscriptionId());
            transaction.updateOne(SqliteStatement.ALTER_UNSUBSCRIBE, u.subscriptionId());
            transaction.update(SqliteStatement.ALTER_PURGE_REDELIVERIES, u.subscriptionId(), Long.MAX_VALUE);
        } else if (change instanceof CatalogChange.Purge p) {
            transaction.updateOne(SqliteStatement.ALTER_PURGE, p.subscriptionId(), p.fromSequence());
            transaction.update(SqliteStatement.ALTER_PURGE_REDELIVERIES, p.subscriptionId(), p.fromSequence());
        } else if (change instanceof CatalogChange.OwnClient o) {
            own(o);
        } else if (change instanceof CatalogChange.PutSetting p) {
            put(p.setting());
        } else if (change instanceof CatalogChange.DeleteSetting d) {
            PreparedStatement delete = transaction.prepared(SqliteStatement.ALTER_DELETE_SETTING);
            delete.setString(1, d.kind().stored());
            delete.setString(2, d.name());
            SqliteTransaction.expectOne(SqliteStatement.ALTER_DELETE_SETTING, delete.executeUpdate());
        } else if (change instanceof CatalogChange.CreateLogin c) {
            create(c.login());
        } else if (change instanceof CatalogChange.CreateProducer c) {
            create(c.producer());
        } else if (change instanceof CatalogChange.ReopenProducer r) {
            reopen(r);
        } else if (change instanceof CatalogChange.ForgetProducer f) {
            transaction.updateOne(SqliteStatement.ALTER_FORGET_PRODUCER, f.producerId());
        } else if (change instanceof CatalogChange.KeepDuplicateIds k) {
            for (Flush.DuplicateId id : k.ids()) {
                keep(id);
            }
        } else if (change instanceof CatalogChange.BeginReplay b) {
            transaction.updateOne(SqliteStatement.ALTER_BEGIN_REPLAY, b.subscriptionId(), b.position());
        } else if (change instanceof CatalogChange.EndReplay e) {
            transaction.updateOne(SqliteStatement.ALTER_END_REPLAY, e.subscriptionId());
        }
    }

    private void keep(Flush.DuplicateId d) throws SQLException {
        PreparedStatement insert = transaction.prepared(SqliteStatement.ALTER_KEEP_DUPLICATE_ID);
        insert.setLong(1, d.addressId());
        insert.setInt(2, d.position());
        insert.setLong(3, d.ordinal());
        insert.setBytes(4, d.id());
        SqliteTransaction.expectOne(SqliteStatement.ALTER_KEEP_DUPLICATE_ID, insert.executeUpdate());
    }

    private void own(CatalogChange.OwnClient o) throws SQLException {
        if (o.owner() == null) {
            PreparedStatement delete = transaction.prepared(SqliteStatement.ALTER_DISOWN_CLIENT);
            delete.setString(1, o.clientId());
            delete.executeUpdate();
            return;
        }
        PreparedStatement insert = transaction.prepared(SqliteStatement.ALTER_OWN_CLIENT);
        insert.setString(1, o.clientId());
        insert.setString(2, o.owner());
        SqliteTransaction.expectOne(SqliteStatement.ALTER_OWN_CLIENT, insert.executeUpdate());
    }

    private void put(Setting s) throws SQLException {
        PreparedStatement insert = transaction.prepared(SqliteStatement.ALTER_PUT_SETTING);
        insert.setString(1, s.kind().stored());
        insert.setString(2, s.name());
        insert.setString(3, s.document());
        insert.setString(4, s.changedBy());
        insert.setLong(5, s.changedAt().toEpochMilli());
        SqliteTransaction.expectOne(SqliteStatement.ALTER_PUT_SETTING, insert.executeUpdate());
    }

    private void reopen(CatalogChange.ReopenProducer r) throws SQLException {
        PreparedStatement update = transaction.prepared(SqliteStatement.ALTER_REOPEN_PRODUCER);
        update.setLong(1, r.producerId());
        update.setLong(2, r.incarnation());
        update.setLong(3, r.openedAt());
        update.setString(4, r.owner());
        SqliteTransaction.expectOne(SqliteStatement.ALTER_REOPEN_PRODUCER, update.executeUpdate());
    }

    private void create(LoginRow l) throws SQLException {
        PreparedStatement insert = transaction.prepared(SqliteStatement.ALTER_CREATE_LOGIN);
        insert.setInt(1, l.loginId());
        insert.setString(2, Rows.kind(l.login().kind()));
        insert.setString(3, l.login().name());
        SqliteTransaction.expectOne(SqliteStatement.ALTER_CREATE_LOGIN, insert.executeUpdate());
    }

    private void create(ProducerRow p) throws SQLException {
        PreparedStatement insert = transaction.prepared(SqliteStatement.ALTER_CREATE_PRODUCER);
        insert.setLong(1, p.producerId());
        insert.setLong(2, p.addressId());
        insert.setString(3, p.name());
        insert.setLong(4, p.incarnation());
        insert.setLong(5, p.lastNumber());
        insert.setLong(6, p.usedAt());
        insert.setString(7, p.owner());
        SqliteTransaction.expectOne(SqliteStatement.ALTER_CREATE_PRODUCER, insert.executeUpdate());
        transaction.updateOne(SqliteStatement.ALTER_NEXT_ID, p.producerId());
    }

    private void create(CatalogChange.CreateAddress c) throws SQLException {
        PreparedStatement insert = transaction.prepared(SqliteStatement.ALTER_CREATE_ADDRESS);
        insert.setLong(1, c.addressId());
        insert.setString(2, c.name());
        insert.setString(3, Rows.kind(c.kind()));
        insert.setLong(4, c.quotaMessages());
        insert.setLong(5, c.quotaBytes());
        SqliteTransaction.expectOne(SqliteStatement.ALTER_CREATE_ADDRESS, insert.executeUpdate());
        transaction.updateOne(SqliteStatement.ALTER_NEXT_ID, c.addressId());
    }

    private void subscribe(SubscriptionRow s) throws SQLException {
        PreparedStatement insert = transaction.prepared(SqliteStatement.ALTER_SUBSCRIBE);
        insert.setLong(1, s.subscriptionId());
        insert.setLong(2, s.addressId());
        insert.setString(3, s.clientId());
        insert.setString(4, s.name());
        insert.setInt(5, s.group());
        insert.setInt(6, s.bit());
        insert.setLong(7, s.fromSequence());
        insert.setLong(8, s.dispatchBound());
        insert.setString(9, s.selector());
        insert.setInt(10, s.noLocal() ? 1 : 0);
        insert.setInt(11, s.shared() ? 1 : 0);
        SqliteTransaction.expectOne(SqliteStatement.ALTER_SUBSCRIBE, insert.executeUpdate());
        transaction.updateOne(SqliteStatement.ALTER_NEXT_ID, s.subscriptionId());
    }
}
