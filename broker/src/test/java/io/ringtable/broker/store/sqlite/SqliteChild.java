package io.ringtable.broker.store.sqlite;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.store.SubscriptionRow;
import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A process that stores until it is killed, and says after each flush what is durable. Started by tests. */
final class SqliteChild {
    private SqliteChild() {}

    public static void main(String[] arguments) {
        RingStore store = RingStores.open(StoreSettings.embedded(Path.of(arguments[0])));
        RingGeometry geometry = new RingGeometry(RingGeometry.CAPACITY_STEP);
        long epoch = ((Ownership.Owned) store.acquire("child", "child", Duration.ofSeconds(30), geometry)).epoch();
        store.alter(
                epoch,
                List.of(
                        new CatalogChange.CreateAddress(0, "orders", AddressKind.QUEUE, 1000, 1000),
                        new CatalogChange.Subscribe(
                                new SubscriptionRow(1, 0, "", "", 0, 0, 0, -1, null, false, true))));
        long next = 0;
        while (next + 10 <= geometry.capacity()) {
            List<StoredMessage> claims = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                byte[] body = ("message " + (next + i)).getBytes(java.nio.charset.StandardCharsets.UTF_8);
                claims.add(new StoredMessage(next + i, 0, 1, 4, 0, 0, 0, 1, body, 0, body.length));
            }
            store.flush(new Flush(epoch, 0, claims, List.of(), List.of(), List.of(), List.of(), Flush.UNCHANGED));
            next += 10;
            System.out.println(next);
        }
    }
}
