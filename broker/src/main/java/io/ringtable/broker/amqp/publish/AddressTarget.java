package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.access.Permission;
import io.ringtable.broker.amqp.link.AddressLinks;
import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.ConnectionRights;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.status.LinkStatus.WaitsFor;
import io.ringtable.wire.BatchFormat;
import io.ringtable.wire.MalformedMessage;
import java.util.List;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Sends the messages of a link to one address. Each credit comes with a place reserved in the address's quota, so an
 * address at its quota slows only its own publishers. A batch has one credit and needs a place for each
 * message. If its link has fewer places, the link gives them up and the batch takes all together. So two batches never
 * wait for each other's places.
 * <p>
 * Thread: the connection's event loop.
 */
final class AddressTarget implements PublisherTarget, CreditHolders.Holder {
    /** The assumed size of a transfer before any has come. */
    private static final int FIRST_BYTES = 64 * 1024;

    /** A link takes at most one part in {@value} of the quota, and of its free part, so that others get theirs. */
    private static final int SHARE = 8;

    /** How long a link that gave back its credit leaves the places to others. */
    private static final int YIELD_MS = 1_000;

    private final PublisherLink link;
    private final OpenConnection connection;
    private final AmqpCounters counters;
    private final FlowControl flow;
    private final ConnectionRights rights;
    private final CreditHolders creditHolders;
    private final AddressLinks addressLinks;
    private Address address; // another object once it has moved
    private final Home home;
    private final Producer producer; // null = its messages have no numbers
    private final WaitingTransfers waiting;
    private CreditHolders.Publishers publishers; // to the same address
    private int places; // reserved; at most one for each credit
    private long typicalBytes = FIRST_BYTES; // of transfers; follows larger ones at once and smaller ones slowly
    private Runnable stopWaiting; // for room; null = it does not wait
    private long usedAt; // ms since the epoch

    /**
     * @param home of the address
     * @param producer the producer of numbered messages; null = the messages have no numbers
     */
    AddressTarget(Publishing publishing, PublisherLink link, Address address, Home home, Producer producer) {
        this.link = link;
        this.connection = publishing.connection();
        this.counters = publishing.counters();
        this.flow = publishing.flow();
        this.rights = publishing.rights();
        this.creditHolders = publishing.creditHolders();
        this.addressLinks = publishing.addressLinks();
        this.address = address;
        this.home = home;
        this.producer = producer;
        this.waiting = new WaitingTransfers(publishing, link, new MessageBuilder(publishing), address, home);
        waiting.onMoved(producer == null ? this::moved : null);
        this.publishers = creditHolders.add(address, this);
        addressLinks.attached(address);
        link.receiver().creditStateUpdateHandler(changed -> onDrained());
    }

    /** Takes its address with another home: what it held of the old one goes back. */
    private void moved() {
        stopWaiting();
        releasePlaces(places);
        creditHolders.remove(address, this);
        addressLinks.ended(address);
        address = waiting.address();
        publishers = creditHolders.add(address, this);
        addressLinks.attached(address);
        link.wantCredit();
    }

    @Override
    public boolean isSentAgain() {
        return producer != null && producer.isOfRelay();
    }

    @Override
    public void policiesChanged() {
        if (address.quota().isBeyond()) {
            releasePlaces(places); // what has credit waits for room instead
        }
        waiting.policiesChanged();
    }

    @Override
    public String address() {
        return address.name();
    }

    @Override
    public WaitsFor waitsFor() {
        return stopWaiting != null || waiting.isFull() ? WaitsFor.ROOM : null;
    }

    @Override
    public void publish(IncomingDelivery delivery, byte[] body) throws MalformedMessage {
        if (producer != null && waiting.isMoving()) {
            link.attachAnew(Conditions.of(address.moves()));
            return;
        }
        List<byte[]> messages = messages(delivery, body);
        boolean isNumbered =
                producer != null && !(producer.isOfRelay() && delivery.getRemoteState() instanceof TransactionalState);
        Numbers numbers = isNumbered ? Numbers.of(producer, delivery.getTag()) : null;
        ErrorCondition refusal = isNumbered ? numbersRefusal(delivery, numbers) : null;
        if (refusal != null) {
            creditGone();
            link.reject(delivery, refusal);
            return;
        }
        Publication publication = link.publication(delivery, messages, body.length);
        waiting.build(publication);
        publication.number(numbers);
        if (publication.count() <= places && !waiting.isMoving()) {
            places -= publication.count();
            publication.hold(publication.count());
            creditGone();
        } else {
            releasePlaces(places);
        }
        usedAt = publication.publishedAt();
        typicalBytes = Math.max(publication.bytes(), typicalBytes - typicalBytes / 8);
        link.admit(publication, waiting);
    }

    /** Returns the messages of a transfer: one, or those of a batch. */
    static List<byte[]> messages(IncomingDelivery delivery, byte[] body) throws MalformedMessage {
        if (delivery.getMessageFormat() == 0) {
            return List.of(body);
        }
        if (delivery.getMessageFormat() != BatchFormat.CODE) {
            throw new MalformedMessage("message format " + Integer.toUnsignedString(delivery.getMessageFormat()));
        }
        return BatchFormat.split(body);
    }

    private static ErrorCondition numbersRefusal(IncomingDelivery delivery, Numbers numbers) {
        if (delivery.getRemoteState() instanceof TransactionalState) {
            return Conditions.notImplemented(
                    "RT-4108", "a link with a producer takes no part in transactions: use a link without one");
        }
        return numbers == null
                ? Conditions.invalid(
                        "RT-4106",
                        "a delivery tag on a link with a producer has 16 bytes: its first message's number, and the"
                                + " lower number of the message before")
                : null;
    }

    /** Releases places whose credit is no longer there. */
    @Override
    public void creditGone() {
        if (places > link.credit()) {
            releasePlaces(places - link.credit());
        }
    }

    private void releasePlaces(int count) {
        if (count > 0) {
            places -= count;
            address.quota().release(count, 0);
        }
    }

    @Override
    public int window(int most) {
        int share = address.isQueue() ? Integer.MAX_VALUE : publishers.topicShare();
        return (int) Math.min(Math.min(share, most), Math.max(1, address.quota().messagesMax() / SHARE));
    }

    @Override
    public int creditFor(int wanted) {
        if (waiting.isMoving()) {
            waiting.follow();
            return 0;
        }
        if (waiting.isFull()) {
            return 0; // waiting transfers come first
        }
        AddressQuota quota = address.quota();
        long freeBytes = Math.max(0, quota.bytesMax() - quota.bytes());
        long fits = freeBytes / SHARE / Math.max(1, typicalBytes) - link.credit();
        if (fits <= 0 && (link.credit() > 0 || !waiting.isEmpty())) {
            return 0; // transfers that are on their way, or wait here, come first
        }
        wanted = (int) Math.min(wanted, Math.max(1, fits));
        long free = quota.messagesMax() - quota.messages();
        int withoutPlace = link.credit() - places;
        int granted = quota.reserve((int) Math.min(wanted + withoutPlace, Math.max(1, free / SHARE)));
        if (granted == 0 && link.credit() == 0 && stopWaiting == null) {
            counters.creditStalls.increment();
            creditHolders.waits(this, address, connection.mailbox());
            stopWaiting = quota.onRoom(() -> connection.mailbox().post(this::onRoom));
        }
        places += granted;
        return Math.max(0, granted - withoutPlace);
    }

    @Override
    public boolean isStalled() {
        return waiting.isStalled();
    }

    @Override
    public void askForIdleCredit() {
        connection.mailbox().post(this::giveBackIdle);
    }

    /** Asks the client to drain; a client that cannot keeps its credit. To another node a drain says more (ADR 70). */
    private void giveBackIdle() {
        if (!link.isEnded()
                && !link.isSuspended()
                && !connection.isCarried()
                && link.credit() > 0
                && waiting.isEmpty()
                && System.currentTimeMillis() - usedAt > CreditHolders.IDLE_MS
                && connection.isRunning()
                && link.receiver().isRemotelyOpen()
                && !link.receiver().isDraining()) {
            link.receiver().drain();
        }
    }

    private void onDrained() {
        if (link.isSuspended()) {
            return; // what has come is not counted as used yet
        }
        if (!link.isEnded() && !link.receiver().isDraining() && link.receiver().getCredit() == 0 && link.credit() > 0) {
            link.creditReturned();
            // Links that asked come first: an idle link is not in a hurry.
            connection.mailbox().later(link::wantCredit, YIELD_MS);
        }
    }

    private void onRoom() {
        stopWaiting();
        if (flow.mayGiveCredit() && !isStalled()) {
            link.giveCredit();
        } else {
            link.wantCredit();
        }
        if (stopWaiting == null) {
            address.quota().passOn();
        }
    }

    private void stopWaiting() {
        if (stopWaiting != null) {
            stopWaiting.run();
            stopWaiting = null;
            creditHolders.waitsNoMore(this, address);
        }
    }

    @Override
    public boolean uses(int shard) {
        return waiting.uses(shard);
    }

    @Override
    public boolean mayHandOver(int shard) {
        return (producer == null || producer.isOfRelay()) && !address.isTemporary() && !waiting.isMoving();
    }

    @Override
    public void withdraw(Consumer<Publication> taker) {
        waiting.moveTo(taker);
    }

    @Override
    public ErrorCondition refusal() {
        return rights.refusal(Permission.SEND, address.name());
    }

    @Override
    public void end() {
        stopWaiting();
        creditHolders.remove(address, this);
        addressLinks.ended(address);
        waiting.drop();
        if (producer != null && producer.isOfRelay()) {
            waiting.whenAnswered(() -> home.catalog().leave(producer)); // what is handed in is stored before that
        } else if (producer != null) {
            home.catalog().leave(producer);
        }
    }
}
