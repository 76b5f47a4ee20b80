package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.dispatch.consumer.Enlisted;
import io.ringtable.broker.message.Address;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which consumer gets which message: selectors, groups, exclusive consumers and the policies of addresses. */
class ChoiceOfConsumerTest extends OrderedDelivery {
    @Test
    void eachGetsWhatItSelectsInOrderHoweverFarTheOtherIsBehind() {
        List<String> as = new ArrayList<>();
        List<String> bs = new ArrayList<>();
        List<String> cs = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            List<String> its = List.of(as, bs, cs).get(i % 3);
            its.add("abc".charAt(i % 3) + String.format("%04d", i));
            publish(queue, its.get(its.size() - 1));
        }
        shard.run();
        Reader b = reader(queue, "b", 0);
        Reader a = reader(queue, "a", 10_000);
        shard.run();
        assertThat(a.texts()).as("although b has no credit").isEqualTo(as);
        b.credit(3);
        shard.run();
        assertThat(b.texts()).isEqualTo(bs.subList(0, 3));
        b.credit(10_000);
        shard.run();
        assertThat(b.texts()).isEqualTo(bs);
        a.acceptAll();
        b.acceptAll();
        shard.run();
        assertThat(queue.quota().messages()).isEqualTo(cs.size());

        Reader late = reader(queue, "c", 10_000);
        shard.run();
        assertThat(late.texts()).isEqualTo(cs);
        late.detach(false);
        Reader all = reader(queue, null, 10_000);
        shard.run();
        assertThat(all.texts()).isEqualTo(cs);
    }

    @Test
    void whatWasSetAsideForOneThatGoesIsAskedAboutAnew() {
        for (int i = 0; i < 300; i++) {
            publish(queue, (i % 2 == 0 ? "a" : "ab") + String.format("%04d", i));
        }
        shard.run();
        Reader stalled = reader(queue, "ab", 0);
        Reader slow = reader(queue, "a0", 1_000);
        shard.run();
        assertThat(slow.deliveries).hasSize(150);
        stalled.detach(false);
        Reader any = reader(queue, null, 1_000);
        shard.run();
        assertThat(any.deliveries).hasSize(150);
        assertThat(any.texts()).isSorted().allMatch(text -> text.startsWith("ab"));
    }

    @Test
    void aSelectorWaitsForWhatComesLater() {
        Reader reader = reader(queue, "b", 10);
        shard.publish(queue, 0, 100);
        publish(queue, "b");
        shard.run();
        assertThat(reader.texts()).containsExactly("b");
        reader.drain();
        shard.run();
        assertThat(reader.drained).hasSize(1);
    }

    @Test
    void aGroupIsOneConsumersUntilItGoes() {
        Reader one = reader(queue, null, 1_000);
        Reader two = reader(queue, null, 1_000);
        for (int i = 0; i < 300; i++) {
            shard.publish(queue, "[" + "abc".charAt(i % 3) + "]" + String.format("%04d", i));
        }
        shard.run();
        for (String group : List.of("[a]", "[b]", "[c]")) {
            List<String> ofOne = of(one, group);
            List<String> ofTwo = of(two, group);
            assertThat(List.of(ofOne.size(), ofTwo.size())).as(group).containsExactlyInAnyOrder(0, 100);
            assertThat(ofOne.isEmpty() ? ofTwo : ofOne).isSorted();
        }
        List<String> its = one.texts();
        one.detach(true);
        shard.run();
        assertThat(two.deliveries).hasSize(300);
        assertThat(two.texts().subList(300 - its.size(), 300))
                .as("in order again")
                .isEqualTo(its);
    }

    private static List<String> of(Reader reader, String group) {
        return reader.texts().stream().filter(text -> text.startsWith(group)).toList();
    }

    @Test
    void aGroupWaitsForItsConsumersCreditAndOthersDoNot() {
        Reader one = reader(queue, null, 1);
        shard.publish(queue, "[a]0");
        shard.run();
        Reader two = reader(queue, null, 1_000);
        for (int i = 1; i <= 100; i++) {
            shard.publish(queue, "[a]" + i);
            shard.publish(queue, "plain" + i);
        }
        shard.run();
        assertThat(two.texts()).hasSize(100).allMatch(text -> text.startsWith("plain"));
        one.credit(1_000);
        shard.run();
        assertThat(one.texts()).hasSize(101).allMatch(text -> text.startsWith("[a]"));
    }

    @Test
    void aClosedGroupIsFreeForAnybody() {
        Reader one = reader(queue, null, 2);
        shard.publish(queue, "[a]0");
        shard.publish(queue, "[a!]1");
        shard.publish(queue, "[a]2");
        shard.run();
        Reader two = reader(queue, null, 10);
        shard.run();
        assertThat(one.texts()).containsExactly("[a]0", "[a!]1");
        assertThat(two.texts()).containsExactly("[a]2");
    }

    @Test
    void whatIsLaterInAGroupWaitsForWhatRests() {
        Address rests = shard.queue("rests.groups");
        Reader one = reader(rests, null, 1);
        for (int i = 0; i < 40; i++) {
            shard.publish(rests, "[a]" + String.format("%02d", i));
        }
        shard.publish(rests, "plain");
        shard.run();
        one.modify(one.deliveries.get(0), true, false);
        one.credit(100);
        shard.run();
        assertThat(one.texts()).containsExactly("[a]00", "plain");
        shard.now += 100;
        shard.run();
        assertThat(of(one, "[a]").subList(1, 41)).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void whatIsLaterInAGroupWaitsForATransactionThatOutlivesItsConsumer() {
        Reader one = reader(queue, null, 2);
        for (int i = 0; i < 4; i++) {
            shard.publish(queue, "[a]" + i);
        }
        shard.run();
        Enlisted first = shard.dispatcher.mailbox().enlist(one, one.deliveries.get(0));
        one.unsettled.remove(one.deliveries.get(0));
        one.credit(1);
        shard.run();
        assertThat(one.texts()).as("its own consumer goes on").containsExactly("[a]0", "[a]1", "[a]2");
        Reader two = reader(queue, null, 10);
        one.detach(true);
        shard.run();
        assertThat(two.deliveries).isEmpty();
        shard.dispatcher.mailbox().rolledBack(first, false);
        shard.run();
        assertThat(two.texts()).containsExactly("[a]0", "[a]1", "[a]2", "[a]3");
    }

    @Test
    void groupsAreKnownAfterARestartAndSoIsWhatRests() {
        Address rests = shard.queue("rests.groups");
        Reader one = reader(rests, null, 1);
        for (int i = 0; i < 40; i++) {
            shard.publish(rests, "[a]" + String.format("%02d", i));
        }
        shard.run();
        one.modify(one.deliveries.get(0), true, false);
        shard.run();
        restart();
        rests = shard.address("rests.groups");
        one = reader(rests, null, 100);
        Reader two = reader(rests, null, 100);
        shard.run();
        assertThat(one.deliveries).isEmpty();
        assertThat(two.deliveries).isEmpty();
        shard.now += 100;
        shard.run();
        Reader its = one.deliveries.isEmpty() ? two : one;
        assertThat(its.texts()).hasSize(40).isSorted();
    }

    @Test
    void anExclusiveQueueIsOneConsumersUntilItGoes() {
        Address exclusive = shard.queue("exclusive.orders.eu");
        Reader one = reader(exclusive, null, 5);
        Reader two = reader(exclusive, null, 100);
        shard.publish(exclusive, 0, 10);
        assertThat(one.texts()).containsExactly("0", "1", "2", "3", "4");
        assertThat(two.deliveries).as("although the first has no credit left").isEmpty();
        two.drain();
        shard.run();
        assertThat(two.drained).as("nothing is to come for it now").hasSize(1);
        one.detach(false);
        two.credit(100);
        shard.run();
        assertThat(two.texts()).containsExactly("0", "1", "2", "3", "4", "5", "6", "7", "8", "9");
    }
}
