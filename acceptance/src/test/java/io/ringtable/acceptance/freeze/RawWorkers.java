package io.ringtable.acceptance.freeze;

import java.time.Duration;
import java.util.List;

/** Works over raw connections, which stay with a frozen node, and write to it, until they are told to leave. */
final class RawWorkers {
    private static final Duration PAUSE = Duration.ofMillis(10); // between messages
    private static final int WINDOW = 50; // messages without an outcome
    private static final int CREDIT = 50;
    private static final int KEEP_ALIVE_TICKS = 50; // 5 s
    private static final int HELD = 5; // deliveries about which nothing is said while others come

    private RawWorkers() {}

    /** Goes on sending into the socket of a node that stands still, up to its window. */
    static final class StayingPublisher extends Worker {
        private final List<Integer> ports;
        private final Account account;
        private final String kind;
        private final String address;
        private int connections;
        private int number;

        StayingPublisher(List<Integer> ports, Account account, String kind, String address) {
            super("raw-publisher-" + address);
            this.ports = ports;
            this.account = account;
            this.kind = kind;
            this.address = address;
        }

        @Override
        protected void work() {
            int port = ports.get(connections++ % ports.size());
            try (RawPublisher publisher = RawPublisher.to(port, account, kind, address, "raw-publisher-" + address)) {
                while (goesOn() && !publisher.isEnded()) {
                    if (publisher.pending() < WINDOW) {
                        publisher.send("raw/" + address + "/" + number++);
                    }
                    publisher.read(PAUSE);
                }
                while (publisher.pending() > 0 && !publisher.isEnded()) {
                    publisher.read(Patience.TICK);
                }
            }
        }
    }

    /** Asks for the broker's word on each settlement, and keeps a few deliveries back until more come. */
    static final class ConfirmingConsumer extends Worker {
        /** Connects to the node at the port. */
        interface Link {
            RawReceiver at(int port, long credit);
        }

        private final List<Integer> ports;
        private final Link link;
        private final boolean leaves;
        private int connections;

        ConfirmingConsumer(String name, List<Integer> ports, boolean leaves, Link link) {
            super(name);
            this.ports = ports;
            this.leaves = leaves;
            this.link = link;
        }

        @Override
        protected void work() {
            int port = ports.get(connections++ % ports.size());
            try (RawReceiver receiver = link.at(port, CREDIT)) {
                long granted = CREDIT;
                int silent = 0;
                while (goesOn() && !receiver.isEnded() && !(leaves && isLeaving())) {
                    boolean came = receiver.read(Patience.TICK) != null;
                    receiver.acceptAllBut(came ? HELD : 0);
                    if (!came && ++silent % KEEP_ALIVE_TICKS == 0) {
                        receiver.keepAlive();
                    }
                    if (granted - receiver.received() < CREDIT / 2) {
                        granted = receiver.received() + CREDIT;
                        receiver.grant(CREDIT);
                    }
                }
            }
        }
    }
}
