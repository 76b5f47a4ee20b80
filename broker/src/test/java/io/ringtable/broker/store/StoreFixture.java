package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.PublisherLogin;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/**
 * A store that one test owns, driven as a committer drives it, beside the {@link StoreModel} that says what it must
 * hold. Each verb goes to the store first and to the model if it succeeds.
 */
public final class StoreFixture {
    static final RingGeometry GEOMETRY = new RingGeometry(RingGeometry.CAPACITY_STEP);
    static final Duration LEASE = Duration.ofSeconds(30);
    static final String NODE = "node-a";

    final TestDatabase database;
    final int shard;
    final StoreModel model;
    final Random random = new Random(4711);
    RingStore store;
    long epoch;

    StoreFixture(TestDatabase database) {
        this(database, database.settings().shardId());
    }

    /** Opens a new shard in the database, which may be another one than the database's settings name. */
    StoreFixture(TestDatabase database, int shard) {
        this(database, shard, new StoreModel(GEOMETRY.capacity()));
        model.nextId = ShardIds.first(shard);
        open();
    }

    /** @param model what is in it already; the caller opens it */
    StoreFixture(TestDatabase database, StoreModel model) {
        this(database, database.settings().shardId(), model);
    }

    private StoreFixture(TestDatabase database, int shard, StoreModel model) {
        this.database = database;
        this.shard = shard;
        this.model = model;
    }

    /** Lays the next shard in the same database. The caller closes its store, before the database is closed. */
    StoreFixture neighbour() {
        return new StoreFixture(database, shard + 1);
    }

    void open() {
        StoreSettings settings = database.settings();
        store = shard == settings.shardId() ? database.open() : RingStores.open(settings.ofShard(shard));
        own();
    }

    /** Takes the shard, again if it is held already, under the next epoch. */
    void own() {
        Ownership ownership = store.acquire(NODE, "contract suite", LEASE, GEOMETRY);
        assertThat(ownership).isInstanceOf(Ownership.Owned.class);
        epoch = ((Ownership.Owned) ownership).epoch();
    }

    /** Opens the store anew, as a restarted broker does. */
    void reopen() {
        store.close();
        open();
    }

    void close() throws Exception {
        if (store != null) {
            store.close();
        }
        database.close();
    }

    /** The name that the engine's files and packages have. */
    String engine() {
        String url = database.settings().properties().url();
        return url == null ? "sqlite" : url.split(":")[1];
    }

    // ---- catalogue

    AddressRow address(String name, AddressKind kind) {
        long id = model.nextId;
        alter(new CatalogChange.CreateAddress(id, name, kind, 1_000_000, 1L << 40));
        return model.addresses.get(id);
    }

    /** A topic with so many durable subscriptions, on the first bits of the first group. */
    AddressRow topic(String name, int subscribers) {
        AddressRow topic = address(name, AddressKind.TOPIC);
        for (int i = 0; i < subscribers; i++) {
            subscribe(topic, "s" + i, 0, i);
        }
        return topic;
    }

    SubscriptionRow subscribe(AddressRow address, String name, int group, int bit) {
        long id = model.nextId;
        alter(new CatalogChange.Subscribe(new SubscriptionRow(
                id,
                address.addressId(),
                "client",
                name,
                group,
                bit,
                model.next,
                Flush.DispatchBound.FOLLOWS,
                null,
                false,
                false)));
        return model.subscriptions.get(id);
    }

    ProducerRow producer(AddressRow address, String name) {
        return producer(address, name, null);
    }

    /** @param owner null = nobody */
    ProducerRow producer(AddressRow address, String name, String owner) {
        long id = model.nextId;
        alter(new CatalogChange.CreateProducer(
                new ProducerRow(id, address.addressId(), name, 1, 0, 1_760_000_000_000L, owner)));
        return model.producers.get(id);
    }

    void login(int id, PublisherLogin login) {
        alter(new CatalogChange.CreateLogin(new LoginRow(id, login)));
    }

    SubscriptionRow subscription(AddressRow address, int bit) {
        return model.subscriptions.values().stream()
                .filter(s -> s.addressId() == address.addressId() && s.bit() == bit)
                .findFirst()
                .orElseThrow();
    }

    void alter(CatalogChange... changes) {
        store.alter(epoch, List.of(changes));
        List.of(changes).forEach(model::apply);
    }

    // ---- flush

    /** A flush that is put together by name; numbers its messages from {@code next}. */
    TestFlush batch() {
        return new TestFlush(this);
    }

    void flush(Flush flush) {
        store.flush(flush);
        model.apply(flush);
    }

    /** Publishes so many messages in batches of at most 2,000. */
    void publish(AddressRow address, int count) {
        for (int left = count; left > 0; left -= 2000) {
            batch().publish(address, Math.min(left, 2000)).flush();
        }
    }

    /** Settles {@code [fromSequence, toSequence)} for every bit that owes it. */
    void settleAll(long fromSequence, long toSequence) {
        TestFlush batch = batch();
        for (StoredMessage m :
                new ArrayList<>(model.ring.subMap(fromSequence, toSequence).values())) {
            for (long left = model.unsettled(m); left != 0; left &= left - 1) {
                batch.settle(m.sequence(), Long.numberOfTrailingZeros(left));
            }
        }
        batch.flush();
    }

    List<ShardState.BacklogSummary> reclaim(long newGate) {
        List<ShardState.BacklogSummary> grown = store.reclaim(epoch, model.gate, newGate, model.owedBelow(newGate));
        model.reclaimed(newGate);
        return grown;
    }

    ShardState.BacklogSummary discard(AddressRow address, long fromSequence, long toSequence) {
        ShardState.BacklogSummary left = store.discard(epoch, address.addressId(), fromSequence, toSequence);
        model.discarded(address.addressId(), fromSequence, toSequence);
        return left;
    }

    static byte[] body(String text) {
        return text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    }

    // ---- what must hold

    /** The call fails with the kind, and the tables are what they were. */
    StoreFailure refused(StoreFailure.Kind kind, ThrowingCallable call) {
        StoreFailure failure = fails(kind, call);
        agrees();
        return failure;
    }

    static StoreFailure fails(StoreFailure.Kind kind, ThrowingCallable call) {
        StoreFailure failure = catchThrowableOfType(StoreFailure.class, call);
        assertThat(failure).as("the call must fail as %s", kind).isNotNull();
        assertThat(failure.kind()).as(failure.getMessage()).isEqualTo(kind);
        assertThat(failure.getMessage()).startsWith(failure.code()).matches("(?s)RT-3\\d{3} .+");
        return failure;
    }

    /** Everything that the store gives back is what the model says. */
    void agrees() {
        List<StoredMessage> rows = new ArrayList<>();
        ShardState state = store.recover(epoch, row -> {
            assertThat(row.referenceCount()).isEqualTo(row.message().referenceCount());
            assertThat(row.bodyComplete()).isTrue();
            rows.add(row.message());
        });
        assertThat(state.epoch()).isEqualTo(epoch);
        assertThat(state.capacity()).isEqualTo(model.capacity);
        assertThat(state.gate()).as("gate").isEqualTo(model.gate);
        assertThat(state.next()).as("next").isEqualTo(model.next);
        assertThat(state.dispatchBound()).as("dispatch bound").isEqualTo(model.dispatchBound);
        assertThat(state.nextId()).as("next id").isEqualTo(model.nextId);
        assertThat(state.addresses()).containsExactlyInAnyOrderElementsOf(model.addresses.values());
        assertThat(state.subscriptions()).containsExactlyInAnyOrderElementsOf(model.subscriptions.values());
        assertThat(state.redeliveries()).containsExactlyInAnyOrderElementsOf(model.redeliveries.values());
        assertThat(ledger(state.settlements())).isEqualTo(ledger(model.ledger));
        assertThat(state.producers()).containsExactlyInAnyOrderElementsOf(model.producers.values());
        assertThat(duplicateIds(state.duplicateIds())).isEqualTo(duplicateIds(model.duplicateIds.values()));
        assertThat(state.replays()).containsExactlyInAnyOrderElementsOf(model.replays.values());
        assertThat(state.clientOwners()).containsExactlyInAnyOrderElementsOf(model.clientOwners.values());
        assertThat(state.settings()).containsExactlyInAnyOrderElementsOf(model.settings.values());
        assertThat(state.logins()).containsExactlyInAnyOrderElementsOf(model.logins.values());
        assertThat(state.backlog())
                .as("summaries of the backlog")
                .containsExactlyInAnyOrderElementsOf(model.summaries());
        assertThat(StoreModel.Row.of(rows))
                .as("ring rows")
                .isEqualTo(model.ring.values().stream()
                        .map(m -> StoreModel.Row.of(StoreModel.facts(m)))
                        .toList());
        readsAgree();
    }

    private void readsAgree() {
        long[] sequences =
                model.ring.keySet().stream().mapToLong(Long::longValue).toArray();
        assertThat(StoreModel.Row.of(store.readRing(sequences)))
                .as("ring rows, read with their bodies")
                .isEqualTo(model.ring.values().stream()
                        .map(m -> StoreModel.Row.of(StoreModel.with(m, model.unsettled(m), m.body())))
                        .toList());
        for (SubscriptionRow s : model.subscriptions.values()) {
            assertThat(StoreModel.Row.of(backlogOf(s)))
                    .as("backlog owed by %s", s)
                    .isEqualTo(model.backlogOf(s.addressId()).stream()
                            .filter(m -> m.group() == s.group() && (model.unsettled(m) >> s.bit() & 1) == 1)
                            .map(m -> StoreModel.Row.of(StoreModel.with(m, model.unsettled(m), m.body())))
                            .toList());
        }
        for (Long addressId : model.addresses.keySet()) {
            assertThat(store.countBacklog(addressId, 0, model.next))
                    .as("owed in the backlog of address %s", addressId)
                    .containsExactlyInAnyOrderElementsOf(model.owedInBacklog(addressId, 0, model.next));
            assertThat(backlogLedger(store.readBacklogLedger(addressId)))
                    .as("ledger of the backlog of address %s", addressId)
                    .isEqualTo(model.backlogLedger.entrySet().stream()
                            .filter(e -> e.getKey().addressId() == addressId)
                            .map(e -> e.getKey() + " "
                                    + ByteBuffer.wrap(e.getValue()).hashCode())
                            .toList());
        }
    }

    List<StoredMessage> backlogOf(SubscriptionRow s) {
        return store.readBacklog(s.addressId(), s.group(), s.bit(), -1, Integer.MAX_VALUE, Long.MAX_VALUE);
    }

    private static List<String> ledger(List<Flush.Settlement> rows) {
        return rows.stream()
                .sorted(Comparator.comparingLong(Flush.Settlement::block).thenComparingInt(Flush.Settlement::bit))
                .map(s -> s.block() + "/" + s.bit() + " " + Arrays.toString(s.settled()))
                .toList();
    }

    private static List<String> ledger(java.util.Map<StoreModel.RingKey, byte[]> rows) {
        return rows.entrySet().stream()
                .map(e -> e.getKey().block() + "/" + e.getKey().bit() + " " + Arrays.toString(e.getValue()))
                .toList();
    }

    private static List<String> duplicateIds(java.util.Collection<Flush.DuplicateId> rows) {
        return rows.stream()
                .sorted(Comparator.comparingLong(Flush.DuplicateId::addressId)
                        .thenComparingInt(Flush.DuplicateId::position))
                .map(d -> d.addressId() + "/" + d.position() + " " + d.ordinal() + " " + Arrays.toString(d.id()))
                .toList();
    }

    private static List<String> backlogLedger(List<Flush.BacklogSettlement> rows) {
        return rows.stream()
                .sorted(Comparator.comparingLong(Flush.BacklogSettlement::block)
                        .thenComparingInt(Flush.BacklogSettlement::bit))
                .map(s -> new StoreModel.BacklogKey(s.addressId(), s.block(), s.bit()) + " "
                        + ByteBuffer.wrap(s.settled()).hashCode())
                .toList();
    }
}
