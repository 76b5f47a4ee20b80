package io.ringtable.broker.inbox;

import io.ringtable.broker.agent.Agent;
import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.agent.ThreadOwner;
import io.ringtable.broker.config.InboxProperties;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.message.InboxRow;
import io.ringtable.broker.message.InboxSettlement;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.RingReads;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.work.CommitMonitor;
import io.ringtable.broker.work.CommitterDoors;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks into the inbox and brings its rows into the ring and its ledger, one portion at a time. The next look follows
 * the last portion's outcome. Each look begins at the lowest id, since a lower one may become visible after a higher.
 * <p>
 * Order: within a look ids ascend, and a portion is durable whole or not at all. So no publisher's later message is
 * claimed before an earlier one. The collector leaves out an address that is full or needs another try; the others
 * pass. A message that its address can never take becomes a dead letter with its reason.
 * <p>
 * Applications publish into the inbox of shard 0. Its collector passes on what belongs to another shard, in the order
 * of the look and before the next one. The collector of that shard claims it (ADR 53). Where an address has moved,
 * {@link PassedOnAddresses} keeps the order.
 * <p>
 * While nothing comes, the collectors of a process take turns to look for all ({@link SharedLooks}).
 * <p>
 * Thread: {@code inbox-collector}; it may wait for the store, the committer never waits for it. Failure: the collector
 * asks again while the store is away; rows of a refused portion are still in the inbox. A row that makes no message
 * becomes a dead letter, whatever it holds. After any other exception the rows and the portion under way stay as they
 * are, so the next turn goes on ({@link io.ringtable.broker.agent.RetriedAgent}).
 */
public final class InboxCollector implements Agent {
    private static final Logger LOG = LoggerFactory.getLogger(InboxCollector.class);

    /** The most rows of a look: it then costs little per message, and other publishers do not wait long. */
    static final int ROWS_MAX = 1_000;

    private static final long BYTES_MAX = 4L << 20;
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long LATER_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final RingReads store;
    private final CommitterDoors doors;
    private final InboxHomes homes;
    private final InboxEncoder encoder;
    private final String deadLetterQueue;
    private final CommitMonitor monitor;
    private final Doorbell doorbell;
    private final LongSupplier clockMs;
    private final LongSupplier nanoTime;
    private final AddressLookup lookup;
    private final SkippedAddresses skipped;
    private final PassedOnAddresses passing;
    private final SharedLooks looks;
    private final LookPace pace;
    private final TroubleLog troubles = new TroubleLog(LOG);
    private final RowLogin login = new RowLogin();
    private final ThreadOwner owner = new ThreadOwner("the collector's state");
    private final RefusedRows refusedRows = new RefusedRows(ROWS_MAX);
    private Portion underWay;
    private boolean passedOn = true; // by the last look, what belongs to other shards
    private volatile boolean closing;

    public InboxCollector(
            InboxProperties settings,
            RingReads store,
            CommitterDoors doors,
            InboxHomes homes,
            InboxEncoder encoder,
            String deadLetterQueue,
            SharedLooks looks,
            CommitMonitor monitor,
            Doorbell doorbell,
            LongSupplier clockMs,
            LongSupplier nanoTime) {
        this.store = store;
        this.doors = doors;
        this.homes = homes;
        this.encoder = encoder;
        this.deadLetterQueue = deadLetterQueue;
        this.looks = looks;
        this.monitor = monitor;
        this.doorbell = doorbell;
        this.clockMs = clockMs;
        this.nanoTime = nanoTime;
        this.lookup = new AddressLookup(doors, homes, doorbell);
        this.skipped = new SkippedAddresses(doors.lookup());
        this.passing = new PassedOnAddresses(store, homes, skipped);
        this.pace = new LookPace(settings.probeInterval().toNanos(), doorbell, nanoTime);
    }

    @Override
    public String roleName() {
        return "inbox-collector";
    }

    @Override
    public int doWork() {
        owner.check();
        if (closing) {
            return 0;
        }
        if (underWay != null) {
            underWay.advance();
            return underWay.isAnswered() ? finish() : 0;
        }
        if (!pace.isDue()) {
            return 0;
        }
        return pace.isIdle() && looks.hasSeveral() ? lookForAll() : look();
    }

    @Override
    public long restNanos() {
        return underWay != null || closing ? Agent.super.restNanos() : pace.restNanos();
    }

    /** Has the inbox looked into at once: another collector has passed rows on to it. Thread: any. */
    public void lookNow() {
        pace.lookNow();
    }

    /** Has the inbox looked into at once if nothing else is under way or waited for. Thread: any. */
    void rowsHaveCome() {
        pace.rowsHaveCome();
    }

    /** Ends the hand-off of rows. Thread: any. */
    public void stop() {
        closing = true;
    }

    /** Looks whether any shard has rows, unless another collector has just done so. */
    private int lookForAll() {
        if (!pace.takes(looks)) {
            return pace.follow();
        }
        Set<Integer> shardsWithRows;
        try {
            shardsWithRows = store.readInboxShards();
        } catch (StoreFailure failure) {
            return unread(failure);
        }
        looks.tell(shardsWithRows);
        return pace.isIdle() ? pace.restAfterAll() : look();
    }

    private int look() {
        pace.begin();
        List<InboxRow> rows;
        try {
            passing.beginLook(nanoTime.getAsLong());
            rows = store.readInbox(skipped.names(nanoTime.getAsLong()), refusedRows.rowsMax(), BYTES_MAX);
        } catch (StoreFailure failure) {
            return unread(failure);
        }
        if (rows.isEmpty()) {
            return pace.foundNothing();
        }
        pace.found();
        Portion portion = select(rows);
        if (!portion.isEmpty()) {
            underWay = portion;
            portion.advance();
        }
        passedOn = passOn(portion); // while the committer has the rest
        if (underWay != null) {
            return 1;
        }
        if (!passedOn) {
            return pace.rest(RETRY_NANOS);
        }
        boolean mayBeMore = portion.size() >= refusedRows.rowsMax();
        return pace.rest(mayBeMore ? 0 : pace.pause()); // an address is being created, all are full, or all are gone
    }

    private int unread(StoreFailure failure) {
        trouble("the inbox cannot be read, and the broker tries again: " + failure.getMessage());
        return pace.rest(RETRY_NANOS);
    }

    /** Passes on what belongs to other shards. @return false if the store failed: the rows stay or have gone */
    private boolean passOn(Portion portion) {
        StoreFailure failure = passing.passOn(portion);
        if (failure != null) {
            trouble("messages of other shards stay in the inbox for now: " + failure.getMessage());
        } else if (!portion.elsewhere().isEmpty()) {
            troubles.over(); // as when a portion passes
        }
        return failure == null;
    }

    /**
     * Selects all settlements, and the claimable messages in order, up to the first whose address is still being
     * created.
     */
    private Portion select(List<InboxRow> rows) {
        Portion portion = new Portion(doors, monitor, doorbell);
        try {
            select(rows, portion);
        } catch (Throwable failure) { // at a later row: no part of the portion is handed in
            portion.abandon();
            throw failure;
        }
        return portion;
    }

    private void select(List<InboxRow> rows, Portion portion) {
        lookup.beginLook();
        boolean ended = false;
        for (InboxRow row : rows) {
            if (row instanceof InboxSettlement settlement) {
                portion.add(settlement); // waits for no address
            } else if (row instanceof InboxMessage message && !skipped.contains(message.address())) {
                // Also behind the end, so one look asks for all addresses.
                AddressLookup.Found found = lookup.find(message.address(), message.kind());
                ended = ended || found.isPending() || !take(message, found, portion);
            }
        }
    }

    /** Takes a row into the portion. @return false if the portion ends before the row, or with it */
    private boolean take(InboxMessage row, AddressLookup.Found found, Portion portion) {
        String reason = refusedRows.reason(row.id());
        if (reason == null && found.refusal() != null) {
            if (!found.isRefusedForGood()) {
                later(row, found.refusal().toString());
                return true;
            }
            reason = found.refusal().toString();
        }
        long now = clockMs.getAsLong();
        if (reason != null) {
            return takeDead(row, reason, now, portion);
        }
        Address address = homes.partOf(found.address(), row);
        if (address == null) {
            return false;
        }
        int home = homes.homeOf(address);
        if (!passing.mayGo(address, home, portion, nanoTime.getAsLong())) {
            return true;
        }
        if (home != homes.here()) {
            portion.elsewhere(row, home);
            return true;
        }
        InboxEncoder.Encoded encoded;
        try {
            encoded = encoder.encode(row, now);
        } catch (Refusal.Refused refused) {
            return takeDead(row, refused.refusal().toString(), now, portion);
        } catch (RuntimeException | StackOverflowError failure) { // caused by this row's data, not by the collector
            return takeDead(row, "RT-2314 no message can be made of it: " + failure, now, portion);
        }
        if (isStaged(encoded.bytes()) && portion.messages() > 0) {
            return false;
        }
        int bytes = encoded.bytes().length;
        if (bytes > address.quota().bytesMax()) {
            return takeDead(row, tooLarge(address, bytes), now, portion);
        }
        if (!address.quota().tryReserve(1, bytes)) {
            skipped.full(row.address(), address, bytes);
            return true;
        }
        return add(
                row,
                new Message(
                        address,
                        now,
                        encoded.priority(),
                        encoded.expiresAt(),
                        0,
                        encoded.bytes(),
                        doors.bodyIds().idFor(encoded.bytes()),
                        encoded.group(),
                        null,
                        login.of(row),
                        encoded.traceAt()),
                portion);
    }

    private boolean takeDead(InboxMessage row, String reason, long now, Portion portion) {
        AddressLookup.Found found = lookup.findHere(deadLetterQueue);
        if (found.isPending()) {
            return false;
        }
        if (found.refusal() != null) {
            later(row, reason + ", and there is no dead-letter queue: " + found.refusal());
            return true;
        }
        byte[] letter;
        try {
            letter = encoder.deadLetter(row, reason, now);
        } catch (RuntimeException | StackOverflowError failure) {
            later(row, reason + ", and no dead letter can be made of it: " + failure);
            return true;
        }
        if (isStaged(letter) && portion.messages() > 0) {
            return false;
        }
        if (!found.address().quota().tryReserve(1, letter.length)) {
            if (!skipped.contains(row.address())) {
                trouble("dead letters for '" + row.address() + "' stay in the inbox: " + found.address()
                        + " is full: take messages from it or raise its quota");
            }
            skipped.full(row.address(), found.address(), letter.length);
            return true;
        }
        LOG.info("RT-2401 message {} of the inbox for '{}' is a dead letter: {}", row.id(), row.address(), reason);
        return add(
                row,
                new Message(
                        found.address(),
                        now,
                        Message.PRIORITY_NORMAL,
                        0,
                        0,
                        letter,
                        doors.bodyIds().idFor(letter),
                        null,
                        login.of(row)),
                portion);
    }

    private static String tooLarge(Address address, int bytes) {
        return "RT-2341 a message of " + bytes + " bytes is larger than the quota of " + address + ", "
                + address.quota().bytesMax() + " bytes: send smaller ones or raise the quota";
    }

    private boolean isStaged(byte[] encoded) {
        return encoded.length > doors.bodyIds().inlineBytesMax();
    }

    private static boolean add(InboxMessage row, Message message, Portion portion) {
        portion.add(row, message);
        if (message.bodyId() == 0) {
            return true;
        }
        portion.stage();
        return false;
    }

    /** Leaves the messages of the row's address in the inbox for a while. */
    private void later(InboxMessage row, String why) {
        trouble("messages for '" + row.address() + "' stay in the inbox for now: " + why);
        skipped.until(row.address(), nanoTime.getAsLong() + LATER_NANOS);
    }

    private int finish() {
        Portion answered = underWay;
        underWay = null;
        Refusal refusal = answered.refusal();
        if (refusal != null) {
            refused(answered, refusal);
            return 1;
        }
        if (passedOn) {
            boolean mayBeMore = answered.size() >= refusedRows.rowsMax() || refusedRows.isLookingForOne();
            pace.rest(mayBeMore ? 0 : pace.pause());
            troubles.over();
        } else {
            pace.rest(RETRY_NANOS);
        }
        refusedRows.passed(answered);
        return 1;
    }

    /** Leaves a portion's rows in the inbox, and finds a row that the store refuses by halving. */
    private void refused(Portion answered, Refusal refusal) {
        if (refusal.code().equals(Address.MOVES) || refusal.code().equals(Address.GOES)) {
            pace.rest(pace.pause()); // the next look leaves that address out
        } else if (!RefusedRows.areInFault(answered, refusal)) {
            trouble(answered.size() + " rows stay in the inbox for now: " + refusal);
            pace.rest(RETRY_NANOS);
        } else if (answered.size() > 1) {
            refusedRows.halve(answered);
            pace.rest(0);
        } else if (!refusedRows.bury(answered.firstMessage(), refusal)) {
            later(answered.firstMessage(), refusal.toString()); // not even as a dead letter
        }
    }

    /** Logs one line until a portion passes again. */
    private void trouble(String text) {
        troubles.tell("RT-2402 " + text);
    }
}
