package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.access.Permission;
import io.ringtable.broker.amqp.carried.HandedOver;
import io.ringtable.broker.amqp.encoding.MessageFacts;
import io.ringtable.broker.amqp.link.AddressLinks;
import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.ConnectionRights;
import io.ringtable.broker.dispatch.Parts;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.status.LinkStatus.WaitsFor;
import io.ringtable.wire.MalformedMessage;
import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Sends the messages of a link to the parts of one address ({@link PartTransfers}). Credit reserves no place, since the
 * next message may go to any part. A message for a full part waits; those for other parts pass it, as far as the link
 * has credit. It gets no more until none waits. So a full part holds up the links that publish to it, and no others. A
 * transfer with a message for a part that is away is rejected as a whole, before anything of it is stored. Messages for
 * parts of other nodes wait until their owners take them, and hold the link up once they are many (ADR 81).
 * <p>
 * Thread: the connection's event loop.
 */
final class PartsTarget implements PublisherTarget, CreditHolders.Holder {
    /** The assumed size of a transfer before any has come. */
    private static final int FIRST_BYTES = 64 * 1024;

    /** At most one part in {@value} of the quota of a part, and of its free part, is on its way to it. */
    private static final int SHARE = 8;

    private final PublisherLink link;
    private final MessageFacts facts;
    private final ConnectionRights rights;
    private final AddressLinks addressLinks;
    private final CreditHolders creditHolders;
    private final Address first; // stands for the whole address among those that publish to it
    private final CreditHolders.Publishers publishers; // to all parts of the address
    private final PartTransfers transfers;
    private final Address counted; // as that to which the link is attached
    private final boolean[] used; // parts to which the link has published, and its own
    private long typicalBytes = FIRST_BYTES; // of transfers; follows larger ones at once and smaller ones slowly

    PartsTarget(Publishing publishing, PublisherLink link, Parts parts) {
        this.link = link;
        this.facts = publishing.facts();
        this.rights = publishing.rights();
        this.addressLinks = publishing.addressLinks();
        this.creditHolders = publishing.creditHolders();
        this.first = parts.all().get(0);
        this.publishers = creditHolders.add(first, this);
        this.transfers = new PartTransfers(publishing, link, new MessageBuilder(publishing), parts);
        this.used = new boolean[parts.all().size()];
        used[transfers.placeOfLink()] = transfers.there(transfers.placeOfLink()) != null;
        this.counted = transfers.ofLink();
        addressLinks.attached(counted);
    }

    @Override
    public void policiesChanged() {
        transfers.policiesChanged();
    }

    @Override
    public String address() {
        return first.name();
    }

    @Override
    public WaitsFor waitsFor() {
        return transfers.isFull() ? WaitsFor.ROOM : null;
    }

    // ---- transfers

    @Override
    public void publish(IncomingDelivery delivery, byte[] body) throws MalformedMessage {
        List<byte[]> messages = AddressTarget.messages(delivery, body);
        typicalBytes = Math.max(body.length, typicalBytes - typicalBytes / 8);
        try {
            publish(delivery, messages, body.length);
        } catch (Refusal.Refused away) {
            link.reject(delivery, Conditions.of(away.refusal()));
        }
    }

    private void publish(IncomingDelivery delivery, List<byte[]> messages, int bytes) throws MalformedMessage {
        if (messages.size() == 1) {
            byte[] only = messages.get(0);
            transfers.publishRead(placeOf(only), link.publication(delivery, messages, bytes));
        } else {
            publishBatch(delivery, messages, bytes);
        }
    }

    private int placeOf(byte[] message) throws MalformedMessage {
        facts.read(message, 0, message.length);
        int part = transfers.placeOf(message);
        transfers.require(part);
        used[part] = true;
        return part;
    }

    /**
     * Publishes what each part gets of a batch as a work of its own. If one message is malformed, or for a part that is
     * away, nothing of it.
     */
    private void publishBatch(IncomingDelivery delivery, List<byte[]> messages, int bytes) throws MalformedMessage {
        List<List<byte[]>> byPart = new ArrayList<>(used.length);
        for (int part = 0; part < used.length; part++) {
            byPart.add(new ArrayList<>());
        }
        for (byte[] message : messages) {
            byPart.get(placeOf(message)).add(message);
            facts.checkGroup(); // other nodes read it when parts of the batch may be stored
        }
        int count = (int) byPart.stream().filter(its -> !its.isEmpty()).count();
        TransferOutcomes.SplitBatch batch = count == 1 ? null : new TransferOutcomes.SplitBatch(count, messages.size());
        Publication[] publications = new Publication[used.length];
        for (int part = 0; part < publications.length; part++) {
            List<byte[]> its = byPart.get(part);
            if (!its.isEmpty()) {
                int itsBytes = count == 1
                        ? bytes
                        : its.stream().mapToInt(each -> each.length).sum();
                publications[part] = link.publication(delivery, its, itsBytes);
                publications[part].belongsTo(batch);
                transfers.prepare(part, publications[part]);
            }
        }
        for (int part = 0; part < publications.length; part++) {
            if (publications[part] != null) {
                transfers.admit(part, publications[part]);
            }
        }
    }

    // ---- credit

    @Override
    public int window(int most) {
        long least = first.isQueue() ? most : Math.min(most, publishers.topicShare());
        for (int part = 0; part < used.length; part++) {
            Address there = transfers.there(part);
            if (there != null) {
                least = Math.min(least, Math.max(1, there.quota().messagesMax() / SHARE));
            }
        }
        return (int) least;
    }

    @Override
    public int creditFor(int wanted) {
        if (transfers.isFull()) {
            return 0; // waiting transfers come first
        }
        long fits = fits() - link.credit();
        if (fits <= 0 && link.credit() > 0) {
            return 0; // transfers that are on their way come first
        }
        return (int) Math.min(wanted, Math.max(1, fits)); // the next may go to a part that has room
    }

    /** Returns how many transfers may be on their way, by the fullest of the parts to which the link publishes. */
    private long fits() {
        long least = Long.MAX_VALUE;
        for (int part = 0; part < used.length; part++) {
            Address there = used[part] ? transfers.there(part) : null;
            if (there != null) {
                AddressQuota quota = there.quota();
                long bytes = (quota.bytesMax() - quota.bytes()) / Math.max(1, typicalBytes);
                least = Math.min(least, Math.min(bytes, quota.messagesMax() - quota.messages()) / SHARE);
            }
        }
        return least;
    }

    /** {@inheritDoc} The next message may go to any part that the link has published to. */
    @Override
    public boolean isStalled() {
        for (int part = 0; part < used.length; part++) {
            if (used[part] && transfers.isStalled(part)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void creditGone() {
        // Credit reserved no place.
    }

    @Override
    public void askForIdleCredit() {
        // Idle credit has no place that it could give back.
    }

    @Override
    public boolean uses(int shard) {
        return transfers.uses(shard);
    }

    // ---- another node

    @Override
    public boolean hasManyHomes() {
        return true;
    }

    @Override
    public boolean mayHandOver(int shard) {
        return transfers.mayHandOver();
    }

    @Override
    public void passOn(HandedOver to) {
        transfers.passOn(to);
    }

    @Override
    public AmqpLink.Handing handing(int shard) {
        return transfers.handing(shard);
    }

    @Override
    public void forget(int shard) {
        transfers.forget(shard);
    }

    @Override
    public ErrorCondition refusal() {
        return rights.refusal(Permission.SEND, address());
    }

    @Override
    public void end() {
        creditHolders.remove(first, this);
        addressLinks.ended(counted);
        transfers.drop();
    }
}
