package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.Mailbox;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A link of a simulated node that receives, and knows what it may be told. */
final class FrozenNodeClient implements Consumer {
    private final FrozenNode node;
    private final String name; // of its subscription
    private final List<Delivery> unsettled = new ArrayList<>();

    FrozenNodeClient(FrozenNode node, String name) {
        this.node = node;
        this.name = name;
    }

    String name() {
        return name;
    }

    @Override
    public Selector selector() {
        return null;
    }

    @Override
    public void deliver(Delivery delivery) {
        String text = SteppedShard.text(delivery);
        node.world.seenFrom(node, text);
        assertThat(node.world.settled.getOrDefault(text, Set.of()))
                .as("%s came again though it was settled", text)
                .doesNotContain(name);
        boolean first =
                node.world.reached.computeIfAbsent(text, key -> new HashSet<>()).add(name);
        assertThat(first || delivery.redelivered())
                .as("%s came again to %s, and was not flagged", text, name)
                .isTrue();
        unsettled.add(delivery);
    }

    @Override
    public void drained(long limit) {}

    @Override
    public void ended(Refusal refusal) {
        node.world.seenFrom(node, "the end of a link");
    }

    @Override
    public Mailbox mailbox() {
        return Mailbox.NONE;
    }

    void settle(int most) {
        for (Delivery delivery : List.copyOf(unsettled.subList(0, Math.min(most, unsettled.size())))) {
            unsettled.remove(delivery);
            String text = SteppedShard.text(delivery);
            node.shard.dispatcher.mailbox().accepted(this, delivery, new GoodNews() {
                @Override
                public void accepted() {
                    node.world.seenFrom(node, "that " + text + " is settled");
                    node.world
                            .settled
                            .computeIfAbsent(text, key -> new HashSet<>())
                            .add(name);
                }
            });
        }
    }
}
