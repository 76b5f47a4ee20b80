package io.ringtable.broker.inbox;

import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.message.InboxSettlement;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.overflow.StagerMailbox;
import io.ringtable.broker.work.CommitMonitor;
import io.ringtable.broker.work.CommitterDoors;
import io.ringtable.broker.work.CommitterMailbox;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/**
 * Carries rows of one look into the inbox to the ring and its ledger. A portion is one work, so that no message is
 * claimed without the messages that were published before it. A body that has to be staged is the only message of its
 * portion.
 * <p>
 * Thread: inbox-collector; only the outcome comes on the committer's or the stager's thread.
 */
final class Portion implements Completion {
    private final CommitterMailbox committer;
    private final StagerMailbox stager;
    private final CommitMonitor monitor;
    private final Doorbell doorbell;
    private final List<InboxMessage> rows = new ArrayList<>();
    private final List<Message> messages = new ArrayList<>();
    private final List<InboxSettlement> settlements = new ArrayList<>();
    private final Map<Integer, List<Long>> elsewhere = new TreeMap<>(); // ids of rows, by the shard that they belong to
    private long oldestMs;
    private boolean submitted;
    /** Taken back by the inbox-collector before it hands the body to the stager; set again by the stager, once. */
    private volatile boolean staged = true;

    private volatile boolean accepted; // written by committer, read by inbox-collector
    private volatile Refusal refusal; // written by committer or stager, read by inbox-collector

    Portion(CommitterDoors doors, CommitMonitor monitor, Doorbell doorbell) {
        this.committer = doors.committer();
        this.stager = doors.stager();
        this.monitor = monitor;
        this.doorbell = doorbell;
    }

    /** Adds a message whose place in the quota of its address is reserved. */
    void add(InboxMessage row, Message message) {
        rows.add(row);
        messages.add(message);
        oldestMs = Math.max(oldestMs, row.ageMs());
    }

    void add(InboxSettlement row) {
        settlements.add(row);
        oldestMs = Math.max(oldestMs, row.ageMs());
    }

    /** Notes a row whose address lives in that shard, and which is no part of the work. */
    void elsewhere(InboxMessage row, int home) {
        elsewhere.computeIfAbsent(home, any -> new ArrayList<>()).add(row.id());
    }

    /** Returns the ids of the rows that other shards are to collect, by shard, in order. */
    Map<Integer, List<Long>> elsewhere() {
        return elsewhere;
    }

    /** Answers whether this shard has nothing to claim or settle. */
    boolean isEmpty() {
        return rows.isEmpty() && settlements.isEmpty();
    }

    /** Counts rows of all kinds. */
    int size() {
        int passedOn = elsewhere.values().stream().mapToInt(List::size).sum();
        return rows.size() + settlements.size() + passedOn;
    }

    int messages() {
        return rows.size();
    }

    /** Answers whether a message of the work goes to the address of that name. */
    boolean claims(String name) {
        return rows.stream().anyMatch(row -> row.address().equals(name));
    }

    InboxMessage firstMessage() {
        return rows.get(0);
    }

    void forEachMessageId(LongConsumer action) {
        rows.forEach(row -> action.accept(row.id()));
    }

    /** Stores the one large body first. */
    void stage() {
        staged = false;
        Message large = messages.get(0);
        stager.stage(large.bodyId(), large.encoded(), failed -> {
            if (failed == null) {
                staged = true;
            } else {
                large.address().quota().release(1, large.bytes());
                refusal = failed;
            }
            doorbell.ring();
        });
    }

    /** Hands it in as soon as that is possible. */
    void advance() {
        if (submitted || !staged || refusal != null) {
            return;
        }
        List<Long> ids = rows.stream().map(InboxMessage::id).toList();
        Work work = Work.collected(messages, ids, settlements, this);
        submitted = committer.trySubmit(work);
        if (!submitted) {
            committer.onRoom(doorbell::ring);
        }
    }

    /** Gives back places in quotas and ids of bodies, as the portion is not handed in after all. */
    void abandon() {
        messages.forEach(message -> message.address().quota().release(1, message.bytes()));
        List<Long> bodyIds = Message.bodyIds(messages);
        if (!bodyIds.isEmpty()) {
            stager.abandon(bodyIds);
        }
    }

    boolean isAnswered() {
        return accepted || refusal != null;
    }

    /** Returns why nothing of it is durable; null if it is. */
    Refusal refusal() {
        return refusal;
    }

    @Override
    public void accepted() {
        monitor.collected(rows.size(), settlements.size(), oldestMs);
        accepted = true;
        doorbell.ring();
    }

    @Override
    public void refused(Refusal why) {
        refusal = why;
        doorbell.ring();
    }

    @Override
    public Mailbox mailbox() {
        return Mailbox.NONE;
    }
}
