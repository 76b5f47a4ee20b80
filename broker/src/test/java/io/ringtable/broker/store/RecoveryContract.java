package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.setting.SettingKind;
import io.ringtable.broker.store.StoreFailure.Kind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that a recovery reads back what was flushed: all of it, nothing else. */
abstract class RecoveryContract {
    private StoreFixture f;

    abstract StoreFixture fixture();

    @BeforeEach
    void anOwnedShard() {
        f = fixture();
    }

    @Test
    void anEmptyShardHasNothing() {
        f.agrees();
        f.reopen();
        f.agrees();
    }

    @Test
    void everyFactOfTheCatalogueComesBack() {
        AddressRow queue = f.address("queue", AddressKind.QUEUE);
        AddressRow topic = f.address("topic", AddressKind.TOPIC);
        f.subscribe(queue, "", 0, 0);
        f.alter(
                new CatalogChange.Subscribe(new SubscriptionRow(
                        f.model.nextId,
                        topic.addressId(),
                        "",
                        "all",
                        0,
                        62,
                        17,
                        5,
                        "colour = 'red' OR size > 3",
                        false,
                        true)),
                new CatalogChange.Subscribe(new SubscriptionRow(
                        f.model.nextId + 40, topic.addressId(), "c", "one", 7, 0, 0, -1, null, true, false)));
        f.reopen();
        f.agrees();
        assertThat(f.model.subscriptions).hasSize(3);
    }

    @Test
    void whoseClientIdsAreComesBack() {
        f.topic("orders", 1);
        f.alter(new CatalogChange.OwnClient("desk", "ann"));
        f.alter(new CatalogChange.OwnClient("Desk", "bob"));
        f.alter(new CatalogChange.OwnClient("b\u00fcro \uD83D\uDE80 '\"", "\u00e5sa \uD83D\uDE80"));
        f.agrees();
        f.alter(new CatalogChange.OwnClient("desk", "carl"));
        f.alter(new CatalogChange.OwnClient("Desk", null));
        f.alter(new CatalogChange.OwnClient("nobody's", null));
        f.agrees();
        f.reopen();
        f.agrees();
        assertThat(f.model.clientOwners).hasSize(2);
        assertThatThrownBy(() -> f.store.alter(
                        f.epoch,
                        List.of(
                                new CatalogChange.OwnClient("desk", "dora"),
                                new CatalogChange.OwnClient("desk", null))))
                .isInstanceOf(IllegalArgumentException.class);
        f.refused(Kind.FENCED, () -> f.store.alter(f.epoch - 1, List.of(new CatalogChange.OwnClient("desk", "eve"))));
        f.refused(Kind.FENCED, () -> f.store.alter(f.epoch - 1, List.of(new CatalogChange.OwnClient("desk", null))));
        f.agrees();
    }

    @Test
    void whatAdministratorsSetComesBack() {
        f.topic("orders", 1);
        f.alter(put(SettingKind.USER, "ann", "{\"groups\":[\"sales\"]}", "", 0));
        f.alter(put(SettingKind.USER, "Ann", "{}", "root", 1));
        f.alter(put(SettingKind.RULE, "ann", "{}", "root", 999));
        f.alter(put(
                SettingKind.POLICY,
                "l\u00e4den.# \uD83D\uDE80 '\" 100%5",
                "{\"a\":\"\\\\ \uD83D\uDE80 ' %41\\n\"}",
                "\u00e5sa",
                2));
        f.alter(put(SettingKind.ROLE, "viewer", "", "root", 3));
        f.alter(put(SettingKind.JOB, "1", "x".repeat(Setting.DOCUMENT_MAX), "n".repeat(Setting.NAME_MAX), 4));
        f.agrees();
        f.alter(put(SettingKind.USER, "ann", "{\"groups\":[]}", "root", 1_800_000_000_123L));
        f.alter(new CatalogChange.DeleteSetting(SettingKind.USER, "Ann"));
        f.agrees();
        f.reopen();
        f.agrees();
        assertThat(f.model.settings).hasSize(5);
    }

    @Test
    void aSettingIsChangedByTheOwnerAloneAndOneAtATime() {
        f.topic("orders", 1);
        f.alter(put(SettingKind.USER, "ann", "{}", "", 5));
        f.refused(
                Kind.FENCED,
                () -> f.store.alter(f.epoch - 1, List.of(put(SettingKind.USER, "ann", "{\"groups\":[]}", "", 6))));
        f.refused(
                Kind.FENCED,
                () -> f.store.alter(f.epoch - 1, List.of(new CatalogChange.DeleteSetting(SettingKind.USER, "ann"))));
        f.refused(
                Kind.CORRUPT,
                () -> f.store.alter(f.epoch, List.of(new CatalogChange.DeleteSetting(SettingKind.RULE, "ann"))));
        assertThatThrownBy(() -> f.store.alter(
                        f.epoch,
                        List.of(put(SettingKind.RULE, "a", "{}", "", 0), put(SettingKind.RULE, "b", "{}", "", 0))))
                .isInstanceOf(IllegalArgumentException.class);
        f.agrees();
    }

    /** An engine that pads names before it compares them refuses the second one. */
    @Test
    void aNameWithABlankAtItsEndTakesNothingFromTheNameWithoutIt() {
        f.topic("orders", 1);
        f.alter(new CatalogChange.OwnClient("desk", "ann"));
        f.alter(put(SettingKind.USER, "ann", "{\"groups\":[\"sales\"]}", "", 5));
        alterOrBeRefused(new CatalogChange.OwnClient("desk ", "eve"));
        alterOrBeRefused(put(SettingKind.USER, "ann ", "{}", "", 6));
        f.agrees();
        f.alter(new CatalogChange.OwnClient("desk ", null));
        f.agrees();
        assertThat(f.model.clientOwners).containsKey("desk");
    }

    private void alterOrBeRefused(CatalogChange change) {
        try {
            f.alter(change);
        } catch (StoreFailure failure) {
            assertThat(failure.kind()).isEqualTo(Kind.REFUSED);
        }
    }

    private static CatalogChange put(SettingKind kind, String name, String document, String by, long atMs) {
        return new CatalogChange.PutSetting(new Setting(kind, name, document, by, Instant.ofEpochMilli(atMs)));
    }

    @Test
    void idsAreNotGivenTwiceWhatGoes() {
        AddressRow topic = f.topic("orders", 2);
        f.alter(
                new CatalogChange.Unsubscribe(f.subscription(topic, 1).subscriptionId()),
                new CatalogChange.DeleteAddress(topic.addressId()));
        assertThat(f.model.nextId).isEqualTo(ShardIds.first(f.shard) + 3);
        f.reopen();
        f.agrees();
    }

    @Test
    void changesOfTheCatalogueAreMadeInOrderAndTogether() {
        AddressRow topic = f.topic("orders", 1);
        SubscriptionRow old = f.subscription(topic, 0);
        SubscriptionRow successor = new SubscriptionRow(
                f.model.nextId, topic.addressId(), "client", "successor", 0, 0, 9, -1, null, false, false);
        f.alter(new CatalogChange.Unsubscribe(old.subscriptionId()), new CatalogChange.Subscribe(successor));
        f.agrees();
        f.refused(
                Kind.REFUSED,
                () -> f.store.alter(
                        f.epoch,
                        List.of(
                                new CatalogChange.Purge(successor.subscriptionId(), 100),
                                new CatalogChange.Subscribe(new SubscriptionRow(
                                        f.model.nextId,
                                        topic.addressId(),
                                        "c",
                                        "bit is taken",
                                        0,
                                        0,
                                        0,
                                        -1,
                                        null,
                                        false,
                                        false)))));
    }

    @Test
    void anAddressThatExistsIsRefused() {
        f.address("orders", AddressKind.QUEUE);
        f.refused(
                Kind.REFUSED,
                () -> f.store.alter(
                        f.epoch,
                        List.of(new CatalogChange.CreateAddress(f.model.nextId, "orders", AddressKind.QUEUE, 1, 1))));
    }

    @Test
    void aChangeOfWhatIsNotThereIsCorruptAndChangesNothing() {
        f.topic("orders", 1);
        f.refused(Kind.CORRUPT, () -> f.store.alter(f.epoch, List.of(new CatalogChange.Unsubscribe(404))));
        f.refused(Kind.CORRUPT, () -> f.store.alter(f.epoch, List.of(new CatalogChange.DeleteAddress(404))));
        f.refused(Kind.CORRUPT, () -> f.store.alter(f.epoch, List.of(new CatalogChange.Purge(404, 1))));
    }

    @Test
    void aSubscriptionTakesItsRedeliveriesWithIt() {
        AddressRow topic = f.topic("orders", 3);
        f.publish(topic, 10);
        TestFlush batch = f.batch();
        for (int bit = 0; bit < 3; bit++) {
            batch.failed(2, f.subscription(topic, bit).subscriptionId(), 1, 0);
            batch.failed(5, f.subscription(topic, bit).subscriptionId(), 2, 0);
        }
        batch.flush();
        f.alter(new CatalogChange.Unsubscribe(f.subscription(topic, 0).subscriptionId()));
        f.agrees();
        f.alter(new CatalogChange.Purge(f.subscription(topic, 1).subscriptionId(), 5));
        assertThat(f.model.redeliveries).hasSize(3);
        f.agrees();
        f.alter(new CatalogChange.DeleteAddress(topic.addressId()));
        assertThat(f.model.redeliveries).isEmpty();
        f.agrees();
    }

    @Test
    void aBoundForASubscriptionThatHasGoneIsPassedOver() {
        AddressRow topic = f.topic("orders", 1);
        f.publish(topic, 3);
        TestFlush batch = f.batch();
        batch.dispatchBounds.add(new Flush.DispatchBound(404, 2));
        batch.dispatchBounds.add(
                new Flush.DispatchBound(f.subscription(topic, 0).subscriptionId(), 2));
        batch.flush();
        f.agrees();
        TestFlush follows = f.batch();
        follows.dispatchBounds.add(
                new Flush.DispatchBound(f.subscription(topic, 0).subscriptionId(), Flush.DispatchBound.FOLLOWS));
        follows.flush();
        f.agrees();
    }

    @Test
    void aFullRingComesBackWhole() {
        AddressRow topic = f.topic("orders", 1);
        f.publish(topic, f.model.capacity);
        f.reopen();
        f.agrees();
        assertThat(f.model.next).isEqualTo(f.model.gate + f.model.capacity);
    }

    @Test
    void aRingThatIsEmptyBetweenGateAndNextComesBackEmpty() {
        AddressRow topic = f.topic("orders", 1);
        f.publish(topic, 2048);
        f.settleAll(0, 2048);
        f.reclaim(1024);
        f.reclaim(2048);
        f.reopen();
        f.agrees();
        f.publish(topic, 10);
        f.agrees();
    }

    @Test
    void aDamagedRingIsRefused() throws Exception {
        AddressRow topic = f.topic("orders", 1);
        f.publish(topic, 100);
        f.database.damageRing(50);
        StoreFailure failure = StoreFixture.fails(Kind.CORRUPT, () -> f.store.recover(f.epoch, row -> {}));
        assertThat(failure).hasMessageContaining("50");
    }

    @Test
    void aReaderOfTheRingThatFailsLeavesTheStoreUsable() {
        AddressRow topic = f.topic("orders", 1);
        f.publish(topic, 100);
        List<Long> seen = new ArrayList<>();
        assertThatThrownBy(() -> f.store.recover(f.epoch, row -> {
                    seen.add(row.message().sequence());
                    if (seen.size() == 10) {
                        throw new IllegalStateException("the caller's own");
                    }
                }))
                .hasMessageContaining("the caller's own");
        f.publish(topic, 10);
        f.agrees();
    }
}
