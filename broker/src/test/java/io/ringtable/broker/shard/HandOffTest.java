package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.ringtable.broker.agent.LongestTurn;
import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.link.ConnectionMailbox;
import io.ringtable.broker.amqp.link.HandOff;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Work;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The works of one connection on their way to two homes, of which each has a committer of its own. */
class HandOffTest {
    /** The works that a committer takes where as few bytes as possible may wait for it. */
    private static final int ROOM = 128;

    @TempDir
    private Path directory;

    private final EmbeddedChannel loop = new EmbeddedChannel();
    private final ConnectionMailbox mailbox =
            new ConnectionMailbox(loop.eventLoop(), ConnectionMailbox.Event::onEventLoop, () -> {}, new LongestTurn());
    private final AmqpCounters counters = new AmqpCounters();
    private final List<String> answered = new ArrayList<>();
    private int restedTimes;
    private final HandOff handOff = new HandOff(mailbox, counters, () -> restedTimes++);
    private Side one;
    private Side other;

    @BeforeEach
    void open() throws IOException {
        one = new Side("one");
        other = new Side("other");
    }

    @AfterEach
    void close() {
        one.shard.close();
        other.shard.close();
        loop.close();
    }

    /** One home with its address, and the way to it. */
    private final class Side {
        final SteppedShard shard;
        final Home home;
        final Address queue;
        final HandOff.ToHome way;

        Side(String name) throws IOException {
            shard = new SteppedShard(Files.createDirectory(directory.resolve(name)));
            shard.commit = SteppedSettings.COMMIT
                    .with("ringtable.commit.inbox-bytes-max", "1MB")
                    .commit();
            shard.nanoClock = () -> 0; // its lease has an end, and does not reach it by itself
            shard.open();
            home = new SteppedDoors(shard);
            queue = shard.queue(name);
            way = handOff.to(home);
        }

        boolean submit() {
            Message message = shard.message(queue, SteppedShard.bytes("text"));
            assertThat(queue.quota().tryReserve(1, message.bytes())).isTrue();
            return way.submit(Work.publish(message, new Answer(queue.name())));
        }

        void fill() {
            for (int i = 0; i < ROOM; i++) {
                assertThat(submit()).isTrue();
            }
            assertThat(submit()).isFalse();
        }

        void run() {
            shard.run();
            loop.runPendingTasks();
        }
    }

    /** Counts itself on the event loop, as a transfer does. */
    private final class Answer implements Completion {
        private final String of;

        Answer(String of) {
            this.of = of;
        }

        @Override
        public void accepted() {
            put(of);
        }

        @Override
        public void refused(Refusal refusal) {
            put(of + ": " + refusal);
        }

        private void put(String answer) {
            mailbox.put(() -> {
                answered.add(answer);
                handOff.answered();
            });
        }

        @Override
        public Mailbox mailbox() {
            return mailbox;
        }
    }

    @Test
    void aFullCommitterStopsTheWorksOfItsOwnHomeAlone() {
        one.fill();

        assertThat(one.way.isFull()).isTrue();
        assertThat(handOff.isFull()).isTrue();
        assertThat(other.way.isFull()).isFalse();
        assertThat(other.submit()).isTrue();
        other.run();
        assertThat(answered).containsExactly("other");
    }

    @Test
    void eachCommitterHasItsWaitersTryAgain() {
        one.fill();
        other.fill();
        List<String> tries = new ArrayList<>();
        HandOff.Waiting ofOne = () -> tries.add("one: " + one.submit());
        HandOff.Waiting ofOther = () -> tries.add("other: " + other.submit());
        handOff.waits(ofOne);
        handOff.waits(ofOther);
        assertThat(counters.creditStalls.sum()).isEqualTo(2);

        other.run();

        assertThat(tries).containsExactly("one: false", "other: true");
        assertThat(one.way.isFull()).isTrue();
        assertThat(other.way.isFull()).isFalse();
        handOff.waitsNoMore(ofOther);

        one.run();

        assertThat(tries).hasSize(3).last().isEqualTo("one: true");
        assertThat(handOff.isFull()).isFalse();
        assertThat(counters.creditStalls.sum()).as("each committer counts once").isEqualTo(2);
    }

    @Test
    void theConnectionRestsWhenTheLastWorkOfAllHomesHasItsAnswer() {
        assertThat(one.submit()).isTrue();
        assertThat(other.submit()).isTrue();
        assertThat(handOff.isIdle()).isFalse();

        one.run();
        assertThat(handOff.isIdle()).isFalse();
        assertThat(restedTimes).isZero();

        other.run();
        assertThat(handOff.isIdle()).isTrue();
        assertThat(restedTimes).isOne();
    }

    @Test
    void allWhoAskForOneHomeShareTheirWay() {
        assertThat(handOff.to(one.home)).isSameAs(one.way);
        assertThat(handOff.to(other.home)).isSameAs(other.way);
    }

    @Test
    void aLaterPeriodOfTheSameShardIsAnotherHome() {
        one.fill();

        one.shard.lease.end();
        one.shard.crashAndRestart();
        HandOff.ToHome later = handOff.to(new SteppedDoors(one.shard));

        assertThat(later).isNotSameAs(one.way);
        assertThat(later.isFull()).isFalse();
    }

    @Test
    void homesThatAreOverAreForgotten() {
        other.shard.lease.end();

        handOff.to(new SteppedDoors(one.shard));

        assertThat(handOff.to(one.home)).isSameAs(one.way);
        assertThat(handOff.to(other.home)).isNotSameAs(other.way);
    }
}
