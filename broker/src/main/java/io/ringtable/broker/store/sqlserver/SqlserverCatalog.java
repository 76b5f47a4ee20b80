package io.ringtable.broker.store.sqlserver;

import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.LoginRow;
import io.ringtable.broker.store.ProducerRow;
import io.ringtable.broker.store.SubscriptionRow;
import io.ringtable.broker.store.jdbc.Rows;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** Writes changes of the catalogue, in order, in one call. Thread: any that holds the store's write lock. */
final class SqlserverCatalog {
    private final SqlserverSession session;

    SqlserverCatalog(SqlserverSession session) {
        this.session = session;
    }

    void run(long epoch, List<CatalogChange> changes) throws SQLException {
        if (changes.size() == 1 && changes.get(0).isMadeAlone()) {
            makeAlone(epoch, changes.get(0));
            return;
        }
        List<Map<String, Object>> rows = new ArrayList<>(changes.size());
        for (CatalogChange change : changes) {
            if (change instanceof CatalogChange.KeepDuplicateIds k) {
                k.ids().forEach(id -> add(rows, row(id)));
            } else {
                add(rows, row(change));
            }
        }
        PreparedStatement call = session.ofShard(SqlserverStatement.ALTER_CATALOG, epoch);
        JsonList.bind(call, 3, rows);
        SqlserverSession.call(call);
    }

    private static void add(List<Map<String, Object>> rows, Map<String, Object> row) {
        row.put("ordinal", rows.size() + 1);
        rows.add(row);
    }

    private static Map<String, Object> row(Flush.DuplicateId d) {
        Map<String, Object> row = new HashMap<>();
        row.put("change", "keep duplicate id");
        row.put("address_id", d.addressId());
        row.put("position", d.position());
        row.put("id_ordinal", d.ordinal());
        row.put("id", "0x" + HexFormat.of().formatHex(d.id()));
        return row;
    }

    private void makeAlone(long epoch, CatalogChange change) throws SQLException {
        if (change instanceof CatalogChange.OwnClient o) {
            own(epoch, o);
        } else if (change instanceof CatalogChange.CreateLogin c) {
            create(epoch, c.login());
        } else if (change instanceof CatalogChange.PutSetting p) {
            put(epoch, p.setting());
        } else if (change instanceof CatalogChange.DeleteSetting d) {
            PreparedStatement call = session.ofShard(SqlserverStatement.ALTER_DELETE_SETTING, epoch);
            call.setString(3, d.kind().stored());
            call.setString(4, d.name());
            SqlserverSession.call(call);
        }
    }

    private void create(long epoch, LoginRow l) throws SQLException {
        PreparedStatement call = session.ofShard(SqlserverStatement.ALTER_CREATE_LOGIN, epoch);
        call.setInt(3, l.loginId());
        call.setString(4, Rows.kind(l.login().kind()));
        call.setString(5, l.login().name());
        SqlserverSession.call(call);
    }

    private void put(long epoch, Setting s) throws SQLException {
        PreparedStatement call = session.ofShard(SqlserverStatement.ALTER_PUT_SETTING, epoch);
        call.setString(3, s.kind().stored());
        call.setString(4, s.name());
        call.setObject(5, s.document(), Types.LONGNVARCHAR); // a NVARCHAR(MAX) however short it is
        call.setString(6, s.changedBy());
        call.setLong(7, Instants.clamp(s.changedAt().toEpochMilli()));
        SqlserverSession.call(call);
    }

    private void own(long epoch, CatalogChange.OwnClient o) throws SQLException {
        SqlserverStatement statement =
                o.owner() == null ? SqlserverStatement.ALTER_DISOWN_CLIENT : SqlserverStatement.ALTER_OWN_CLIENT;
        PreparedStatement call = session.ofShard(statement, epoch);
        call.setString(3, o.clientId());
        if (o.owner() != null) {
            call.setString(4, o.owner());
        }
        SqlserverSession.call(call);
    }

    /** Returns the values of a change by the procedure's columns, without the columns that the change does not have. */
    private static Map<String, Object> row(CatalogChange change) {
        Map<String, Object> row = new HashMap<>();
        if (change instanceof CatalogChange.CreateAddress c) {
            row.put("change", "create address");
            row.put("address_id", c.addressId());
            row.put("name", c.name());
            row.put("kind", Rows.kind(c.kind()));
            row.put("quota_messages", c.quotaMessages());
            row.put("quota_bytes", c.quotaBytes());
        } else if (change instanceof CatalogChange.DeleteAddress d) {
            row.put("change", "delete address");
            row.put("address_id", d.addressId());
        } else if (change instanceof CatalogChange.Subscribe s) {
            row.put("change", "subscribe");
            subscribe(row, s.subscription());
        } else if (change instanceof CatalogChange.Unsubscribe u) {
            row.put("change", "unsubscribe");
            row.put("subscription_id", u.subscriptionId());
        } else if (change instanceof CatalogChange.Purge p) {
            row.put("change", "purge");
            row.put("subscription_id", p.subscriptionId());
            row.put("from_sequence", p.fromSequence());
        } else if (change instanceof CatalogChange.CreateProducer c) {
            row.put("change", "create producer");
            create(row, c.producer());
        } else if (change instanceof CatalogChange.ReopenProducer r) {
            row.put("change", "reopen producer");
            row.put("producer_id", r.producerId());
            row.put("incarnation", r.incarnation());
            row.put("used_at", Instants.clamp(r.openedAt()));
            row.put("owner", r.owner());
        } else if (change instanceof CatalogChange.ForgetProducer f) {
            row.put("change", "forget producer");
            row.put("producer_id", f.producerId());
        } else if (change instanceof CatalogChange.BeginReplay b) {
            row.put("change", "begin replay");
            row.put("subscription_id", b.subscriptionId());
            row.put("position", b.position());
        } else if (change instanceof CatalogChange.EndReplay e) {
            row.put("change", "end replay");
            row.put("subscription_id", e.subscriptionId());
        }
        return row;
    }

    private static void create(Map<String, Object> row, ProducerRow p) {
        row.put("producer_id", p.producerId());
        row.put("address_id", p.addressId());
        row.put("name", p.name());
        row.put("incarnation", p.incarnation());
        row.put("last_number", p.lastNumber());
        row.put("used_at", Instants.clamp(p.usedAt()));
        row.put("owner", p.owner());
    }

    private static void subscribe(Map<String, Object> row, SubscriptionRow s) {
        row.put("address_id", s.addressId());
        row.put("subscription_id", s.subscriptionId());
        row.put("name", s.name());
        row.put("client_id", s.clientId());
        row.put("group_no", s.group());
        row.put("bit", s.bit());
        row.put("from_sequence", s.fromSequence());
        row.put("dispatched_to", s.dispatchBound() == Flush.DispatchBound.FOLLOWS ? null : s.dispatchBound());
        row.put("selector", s.selector());
        row.put("no_local", s.noLocal() ? 1 : 0);
        row.put("shared", s.shared() ? 1 : 0);
    }
}
