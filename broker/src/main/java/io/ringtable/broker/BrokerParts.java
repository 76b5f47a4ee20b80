package io.ringtable.broker;

import io.ringtable.broker.admin.Users;
import io.ringtable.broker.amqp.login.LoginRules;
import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.broker.config.SecurityProperties;
import io.ringtable.broker.config.WatermarkProperties;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.watermark.DiskGauge;
import io.ringtable.broker.watermark.Gauge;
import io.ringtable.broker.watermark.HeapGauge;
import io.ringtable.broker.watermark.Watermarks;
import java.util.ArrayList;
import java.util.List;

/** Makes the parts of a broker from its properties, for a broker with Spring and for one without. */
final class BrokerParts {
    private BrokerParts() {}

    /** Says who may log in. Refuses AMQP that other machines reach although there are no users. */
    static LoginRules logins(AmqpProperties amqp, SecurityProperties security) {
        Users users = new Users(security);
        RemoteAccess.checkAmqp(amqp, security);
        return new LoginRules(security, users.isEmpty() ? null : users);
    }

    /** Watches the heap, and the disk of an embedded file: the database of a server guards its own. */
    static Watermarks watermarks(WatermarkProperties watermark, StoreSettings store) {
        List<Gauge> gauges = new ArrayList<>();
        gauges.add(new HeapGauge(watermark.heapPercent()));
        long free = watermark.freeDiskBytes().toBytes();
        if (free > 0 && store.properties().url() == null) {
            gauges.add(new DiskGauge(store.dataDir(), free));
        }
        return new Watermarks(gauges);
    }
}
