package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.amqp.carried.CarriedProducer;
import io.ringtable.broker.amqp.carried.HandedOver;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.NodeName;
import io.ringtable.broker.amqp.numbering.RelayNumbers;
import io.ringtable.broker.amqp.relay.Front;
import io.ringtable.broker.amqp.relay.RelayedMessages;
import io.ringtable.broker.amqp.relay.RemoteHome;
import io.ringtable.broker.dispatch.Parts;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Refusal;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Passes transfers of one link on to parts of its address at other nodes, over a relayed link to each part (ADR 81).
 * Such a link begins with the first transfer for the part, and follows the shard of the part from owner to owner.
 * Transfers for a part wait here until its owner takes them, while those for others pass.
 * <p>
 * Thread: the connection's event loop.
 */
final class RemoteParts {
    /** A part whose owner takes nothing may hold one part in {@value} of the bytes that a connection may have. */
    private static final int BUFFER_PART = 4;

    /** Takes transfers back that no owner has seen. */
    @FunctionalInterface
    interface Taker {
        /** Takes a transfer whose part is at this node now. @param publication is admitted */
        void takeBack(int place, Publication publication);
    }

    private final PublisherLink link;
    private final Front front; // null where messages go to no other node
    private final Shard shard;
    private final Parts parts;
    private final Taker taker;
    private final RelayNumbers relayNumbers;
    private final long bytesMax;
    private final RelayedMessages[] ways; // by part; null = no message went there
    private final boolean[] reached; // by part: an owner was seen when the way was made
    private final long[] owed; // bytes without an outcome, by part

    RemoteParts(Publishing publishing, PublisherLink link, Parts parts, Taker taker) {
        this.link = link;
        this.front = publishing.front();
        this.shard = publishing.shard();
        this.parts = parts;
        this.taker = taker;
        this.relayNumbers = publishing.relayNumbers();
        this.bytesMax = publishing.settings().bufferedBytesMax().toBytes() / BUFFER_PART;
        this.ways = new RelayedMessages[parts.all().size()];
        this.reached = new boolean[ways.length];
        this.owed = new long[ways.length];
    }

    /** Tells whether another node is seen that has the part. */
    boolean isSeen(int place) {
        return front != null && home(place) != null;
    }

    private RemoteHome home(int place) {
        return RemoteHome.of(shard.homeOf(parts.all().get(place)));
    }

    /** Tells whether messages for the part go to another node, or wait for the next one that has it. */
    boolean takes(int place) {
        return ways[place] != null && !ways[place].isOver();
    }

    /**
     * Makes a way to the part. If its owner was lost since the last message, that way waits for the next one.
     *
     * @param away refuses what waits, if no node serves the part in time
     * @return false if no other node is seen that has it
     */
    boolean begin(int place, Refusal away) {
        RemoteHome seen = front == null ? null : home(place);
        if (seen != null) {
            ways[place] = front.messages(link.link(), seen, node(), false, new Place(place));
        } else if (reached[place]) {
            int number = shard.homeOf(parts.all().get(place)).number();
            ways[place] = front.messages(link.link(), number, Conditions.of(away), node(), new Place(place));
        }
        boolean begins = seen != null || reached[place];
        reached[place] = seen != null;
        return begins;
    }

    /** Makes a way to the part at the node that takes its shard over. */
    void follow(int place, HandedOver to) {
        ways[place] = front.messages(link.link(), to, node(), new Place(place));
    }

    private NodeName node() {
        Address any = parts.all().get(0);
        return new NodeName(any.name(), any.kind(), false);
    }

    /** Passes a transfer on, or the messages of a batch that are for the part. @param publication is admitted */
    void send(int place, Publication publication) {
        owed[place] += publication.bytes();
        ways[place].send(
                publication.delivery(),
                publication.transaction(),
                publication.transfer(),
                new Answer(place, publication));
    }

    /** Tells whether nothing waits for the part, or for its outcome. */
    boolean isIdle(int place) {
        return ways[place] == null || ways[place].isIdle();
    }

    /** Tells the same of all parts. */
    boolean isIdle() {
        return Arrays.stream(ways).allMatch(way -> way == null || way.isIdle());
    }

    /** Tells whether an owner takes less than comes, so that the link may get no more. */
    boolean isFull() {
        for (int place = 0; place < ways.length; place++) {
            if (owed[place] > bytesMax && ways[place].hasWaiting()) {
                return true;
            }
        }
        return false;
    }

    /** Ends the relayed links, once all that was sent is there. */
    void end() {
        Arrays.stream(ways).filter(Objects::nonNull).forEach(RelayedMessages::end);
    }

    /** Hears of a transfer that was passed on. */
    private final class Answer implements RelayedMessages.Answer {
        private final int place;
        private final Publication publication;

        Answer(int place, Publication publication) {
            this.place = place;
            this.publication = publication;
        }

        @Override
        public void answered(ErrorCondition refusal) {
            owed[place] -= publication.bytes();
            link.passedOn(publication, refusal);
        }

        @Override
        public void takenBack() {
            owed[place] -= publication.bytes();
            if (link.isEnded()) {
                link.lost(publication);
            } else {
                taker.takeBack(place, publication);
            }
        }
    }

    /** Says where a part is. */
    private final class Place implements RelayedMessages.Place {
        private final int place;

        Place(int place) {
            this.place = place;
        }

        @Override
        public RemoteHome home() {
            return RemoteParts.this.home(place);
        }

        @Override
        public boolean isHere() {
            return shard.refusalFor(parts.all().get(place)) == null;
        }

        @Override
        public boolean isPart() {
            return true;
        }

        @Override
        public void lastNumber(CarriedProducer producer, Consumer<CarriedProducer> then) {
            relayNumbers.ask(parts.all().get(place), producer, then);
        }

        @Override
        public void lost(ErrorCondition why) {
            link.mailbox().post(() -> link.detach(why));
        }
    }
}
