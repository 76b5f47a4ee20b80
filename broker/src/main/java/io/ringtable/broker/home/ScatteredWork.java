package io.ringtable.broker.home;

import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.work.CommitterMailbox;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Deduplication;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Holds the messages of a transaction that are for temporary addresses of other shards, until the rest is durable.
 * These messages live in memory, so nothing has to be atomic with them: a work that is refused gives up their places
 * and bodies.
 * <p>
 * Thread: the committer of the work's home.
 */
final class ScatteredWork implements Completion {
    /** Hears of messages that nobody waits for. */
    private static final Completion NOBODY = new Completion() {
        @Override
        public void accepted() {
            // what it was for is over
        }

        @Override
        public void refused(Refusal refusal) {
            // the address has gone with its connection, or the shard stops
        }

        @Override
        public Mailbox mailbox() {
            return Mailbox.NONE;
        }
    };

    private final Work whole;
    private final List<Message> elsewhere;
    private final Shard node;

    private ScatteredWork(Work whole, List<Message> elsewhere, Shard node) {
        this.whole = whole;
        this.elsewhere = elsewhere;
        this.node = node;
    }

    /** Returns the part of the work that the home makes durable; the rest follows. @param node has all homes */
    static Work atHome(Home home, Work whole, Shard node) {
        for (Message message : whole.messages()) {
            if (!isOf(home, message)) {
                return scattered(home, whole, node);
            }
        }
        return whole;
    }

    private static boolean isOf(Home home, Message message) {
        return ShardIds.shardOf(message.address().id()) == home.number();
    }

    private static Work scattered(Home home, Work whole, Shard node) {
        List<Message> here = new ArrayList<>();
        List<DuplicateId> ids = new ArrayList<>();
        List<Message> elsewhere = new ArrayList<>();
        for (int i = 0; i < whole.messages().size(); i++) {
            Message message = whole.messages().get(i);
            if (isOf(home, message)) {
                here.add(message);
                ids.add(whole.deduplication().id(i));
            } else if (message.address().isTemporary()) {
                elsewhere.add(message);
            } else {
                throw new IllegalStateException("a work of shard " + home.number() + " is for " + message.address()
                        + " too, which lives elsewhere");
            }
        }
        return new Work(
                List.copyOf(here),
                whole.settlements(),
                ids.stream().allMatch(Objects::isNull) ? Deduplication.NONE : Deduplication.ids(ids),
                new ScatteredWork(whole, elsewhere, node));
    }

    @Override
    public void accepted() {
        elsewhere.forEach(message -> submit(node.homeOf(message.address()).committer(), Work.publish(message, NOBODY)));
        whole.completion().accepted();
    }

    /** Hands a work in as soon as there is room. */
    private static void submit(CommitterMailbox committer, Work work) {
        if (!committer.trySubmit(work)) {
            committer.onRoom(() -> submit(committer, work));
        }
    }

    @Override
    public void refused(Refusal refusal) {
        elsewhere.forEach(message -> message.address().quota().release(1, message.bytes()));
        node.abandon(elsewhere);
        whole.completion().refused(refusal);
    }

    @Override
    public Mailbox mailbox() {
        return whole.completion().mailbox();
    }
}
