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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
 * Thread: {@code inbox-collector}; it may wait for the store, the committer never waits for it. Failure: the collector
 * asks again while the store is away; rows of a refused portion are still in the inbox. A row that makes no message
 * becomes a dead letter, whatever it holds. After any other exception the rows and the portion under way stay as they
 * are, so the next turn goes on ({@link io.ringtable.broker.agent.RetriedAgent}).
 */
public final class InboxCollector implements Agent {
    private static final Logger LOG = LoggerFactory.getLogger(InboxCollector.class);

    /**
     * The most rows of a look: a look and a flush then cost little per message, and other publishers do not wait long.
     */
    static final int ROWS_MAX = 1_000;

    private static final long BYTES_MAX = 4L << 20;
    private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long LATER_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** The code for a row that the store refuses: see StoreFailure.Kind.REFUSED. */
    private static final String ROW_REFUSED = "RT-3011";
    /** The code for more rows than one flush takes. */
    private static final String TOO_MANY_ROWS = "RT-2015";

    private final RingReads store;
    private final CommitterDoors doors;
    private final InboxHomes homes;
    private final InboxEncoder encoder;
    private final String deadLetterQueue;
    private final CommitMonitor monitor;
    private final Doorbell doorbell;
    private final LongSupplier clockMs;
    private final LongSupplier nanoTime;
    private final long idleNanos;
    private final AddressLookup lookup;
    private final SkippedAddresses skipped;
    private final PassedOnAddresses passing;
    private final RowLogin login = new RowLogin();
    private final ThreadOwner owner = new ThreadOwner("the collector's state");
    private final Map<Long, String> dead = new HashMap<>(); // ids of rows that the ring does not take, with the reason
    private Portion underWay;
    private int rowsMax = ROWS_MAX;
    private long lookAt; // nanoTime of the next look
    private long pause; // ns, of the last look that found nothing
    private boolean passedOn = true; // by the last look, what belongs to other shards
    private boolean troubled; // the log has said so
    private volatile boolean lookNow; // set by any, taken back by inbox-collector
    private volatile boolean closing;

    public InboxCollector(
            InboxProperties settings,
            RingReads store,
            CommitterDoors doors,
            InboxHomes homes,
            InboxEncoder encoder,
            String deadLetterQueue,
            CommitMonitor monitor,
            Doorbell doorbell,
            LongSupplier clockMs,
            LongSupplier nanoTime) {
        this.store = store;
        this.doors = doors;
        this.homes = homes;
        this.encoder = encoder;
        this.deadLetterQueue = deadLetterQueue;
        this.monitor = monitor;
        this.doorbell = doorbell;
        this.clockMs = clockMs;
        this.nanoTime = nanoTime;
        this.idleNanos = settings.probeInterval().toNanos();
        this.lookup = new AddressLookup(doors, homes, doorbell);
        this.skipped = new SkippedAddresses(doors.lookup());
        this.passing = new PassedOnAddresses(store, homes, skipped);
        this.lookAt = nanoTime.getAsLong();
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
        return lookNow || nanoTime.getAsLong() - lookAt >= 0 ? look() : 0;
    }

    @Override
    public long restNanos() {
        return underWay != null || closing ? Agent.super.restNanos() : Math.max(1, lookAt - nanoTime.getAsLong());
    }

    /** Has the inbox looked into at once: another collector has passed rows on to it. Thread: any. */
    public void lookNow() {
        lookNow = true;
        doorbell.ring();
    }

    /** Ends the hand-off of rows. Thread: any. */
    public void stop() {
        closing = true;
    }

    private int look() {
        lookNow = false; // before the read: what comes later has another look
        List<InboxRow> rows;
        try {
            passing.beginLook(nanoTime.getAsLong());
            rows = store.readInbox(skipped.names(nanoTime.getAsLong()), rowsMax, BYTES_MAX);
        } catch (StoreFailure failure) {
            trouble("the inbox cannot be read, and the broker tries again: " + failure.getMessage());
            return rest(RETRY_NANOS);
        }
        if (rows.isEmpty()) {
            pause = Math.min(idleNanos, Math.max(BUSY_NANOS, pause + pause / 2));
            return rest(pause);
        }
        pause = Math.min(idleNanos, BUSY_NANOS);
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
            return rest(RETRY_NANOS);
        }
        return rest(portion.size() < rowsMax ? pause : 0); // an address is being created, all are full, or all are gone
    }

    /** Passes on what belongs to other shards. @return false if the store failed: the rows stay or have gone */
    private boolean passOn(Portion portion) {
        try {
            portion.elsewhere().forEach(homes::passOn);
            troubled = troubled && portion.elsewhere().isEmpty(); // as when a portion passes
            return true;
        } catch (StoreFailure failure) {
            passing.failed(portion.elsewhere().keySet());
            trouble("messages of other shards stay in the inbox for now: " + failure.getMessage());
            return false;
        }
    }

    private int rest(long nanos) {
        lookAt = nanoTime.getAsLong() + nanos;
        return 0;
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
        String reason = dead.get(row.id());
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
                        bodyId(encoded.bytes()),
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
                        bodyId(letter),
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

    private long bodyId(byte[] encoded) {
        return isStaged(encoded) ? doors.bodyIds().nextBodyId() : 0;
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
        if (refusal == null) {
            if (!passedOn) {
                rest(RETRY_NANOS);
            } else if (answered.size() >= rowsMax || rowsMax < ROWS_MAX) {
                lookAt = nanoTime.getAsLong(); // more rows may be there
            } else {
                rest(pause);
            }
            rowsMax = Math.min(ROWS_MAX, 2 * rowsMax);
            troubled = !passedOn;
            answered.forEachMessageId(dead::remove);
        } else {
            refused(answered, refusal);
        }
        return 1;
    }

    /** Leaves a portion's rows in the inbox, and finds a row that the store refuses by halving. */
    private void refused(Portion answered, Refusal refusal) {
        boolean ofARow = refusal.code().equals(ROW_REFUSED) || refusal.code().equals(TOO_MANY_ROWS);
        if (refusal.code().equals(Address.MOVES)) {
            rest(pause); // the next look leaves that queue out
        } else if (!ofARow || answered.messages() == 0) {
            trouble(answered.size() + " rows stay in the inbox for now: " + refusal);
            rest(RETRY_NANOS);
        } else if (answered.size() > 1) {
            rowsMax = Math.max(1, answered.size() / 2);
            rest(0);
        } else if (dead.put(answered.firstMessage().id(), refusal.toString()) != null) {
            dead.remove(answered.firstMessage().id());
            later(answered.firstMessage(), refusal.toString()); // not even as a dead letter
        }
    }

    /** Logs one line until a portion passes again. */
    private void trouble(String text) {
        if (!troubled) {
            troubled = true;
            LOG.warn("RT-2402 {}", text);
        }
    }
}
