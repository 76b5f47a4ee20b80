package io.ringtable.broker.metrics;

/**
 * Lists every metric of the broker. {@code docs/operations.md} has a line for each, with what to do; a test holds the
 * two together.
 */
public enum BrokerMetric {
    STATE("ringtable.state", Kind.GAUGE, null, "1 for the phase that the broker is in, by phase"),
    RESTARTS(
            "ringtable.restarts",
            Kind.COUNTER,
            null,
            "failures of the broker itself after which the shard was started anew, or given up"),
    EPOCH("ringtable.epoch", Kind.GAUGE, null, "epoch under which this node owns the shard; 0 while it does not"),
    NODES_ALIVE(
            "ringtable.nodes.alive",
            Kind.GAUGE,
            null,
            "nodes of the database that were seen within their lease, stand-bys and this one included"),
    NODES_LOST(
            "ringtable.nodes.lost",
            Kind.GAUGE,
            null,
            "nodes that were not seen for longer than their lease and did not stop in order, for a day"),
    SHARDS_OWNED("ringtable.shards.owned", Kind.GAUGE, null, "shards that this node owns; 0 while it stands by"),
    SHARD_AWAY(
            "ringtable.shard.away",
            Kind.GAUGE,
            "seconds",
            "how long the shard has been away while this node serves others; 0 while it serves the shard, or nobody"),
    LEASE("ringtable.lease", Kind.GAUGE, "seconds", "length of the lease: ringtable.lease"),
    LEASE_RENEWALS_LATE(
            "ringtable.lease.renewals.late",
            Kind.COUNTER,
            null,
            "renewals of the lease that came when less than half of it was left"),
    SHARD_STORE(
            "ringtable.shard.store",
            Kind.GAUGE,
            null,
            "1 for each shard and the store that it lies in, by shard and store"),
    SHARD_UNREPLICATED(
            "ringtable.shard.unreplicated",
            Kind.GAUGE,
            null,
            "1 if a fail-over of the shard's database can lose accepted messages, else 0; 0 while another node has it"),
    STORE_WRITABLE("ringtable.store.writable", Kind.GAUGE, null, "1 while the store takes writes, else 0"),
    STORE_DELAYED_DURABILITY(
            "ringtable.store.delayed.durability",
            Kind.GAUGE,
            null,
            "1 if commits may return before their log is on disk, else 0"),
    CONNECTIONS("ringtable.connections", Kind.GAUGE, null, "AMQP connections open now"),
    RELAYS("ringtable.relays", Kind.GAUGE, null, "relays to other nodes that are open now"),
    RELAYED_LINKS(
            "ringtable.relayed.links", Kind.GAUGE, null, "links of this node's clients that other nodes serve now"),
    CONNECTIONS_OPENED("ringtable.connections.opened", Kind.COUNTER, null, "AMQP connections accepted"),
    CONNECTIONS_STALLED(
            "ringtable.connections.stalled",
            Kind.COUNTER,
            null,
            "connections closed because their client did not read"),
    CONNECTIONS_REFUSED(
            "ringtable.connections.refused",
            Kind.COUNTER,
            null,
            "connections refused as all, or those of their user, are too many"),
    HANDSHAKES("ringtable.handshakes", Kind.GAUGE, null, "connections on their way now, before their open frame"),
    HANDSHAKES_CLOSED(
            "ringtable.handshakes.closed",
            Kind.COUNTER,
            null,
            "connections closed before their open frame, as too many were on their way"),
    CONNECTIONS_HELD(
            "ringtable.connections.held",
            Kind.GAUGE,
            "bytes",
            "bytes of messages that connections hold: without an outcome, without an end, unread, in transactions"),
    TURN_LONGEST("ringtable.turn.longest", Kind.GAUGE, "seconds", "longest turn since the last scrape, by thread"),
    LINKS(
            "ringtable.links",
            Kind.GAUGE,
            null,
            "links of every state now, from a client's attach, refused or not, to its detach"),
    CONSUMERS("ringtable.consumers", Kind.GAUGE, null, "consumers attached now"),
    LOGINS_FAILED("ringtable.logins.failed", Kind.COUNTER, null, "logins refused"),
    LOGINS_HASHED("ringtable.logins.hashed", Kind.COUNTER, null, "logins whose password was hashed"),
    LOGINS_PUT_OFF("ringtable.logins.put.off", Kind.COUNTER, null, "logins put off without looking at their password"),
    PERMISSIONS_REFUSED(
            "ringtable.permissions.refused",
            Kind.COUNTER,
            null,
            "attaches and messages refused, and links ended, as their user had no permission"),
    PROTOCOL_ERRORS(
            "ringtable.protocol.errors", Kind.COUNTER, null, "connections closed for a violation of the protocol"),
    MESSAGES_IN("ringtable.messages.in", Kind.COUNTER, null, "messages received from publishers"),
    BYTES_IN("ringtable.payload.in", Kind.COUNTER, "bytes", "bytes of messages received"),
    MESSAGES_OUT("ringtable.messages.out", Kind.COUNTER, null, "deliveries written to consumers"),
    BYTES_OUT("ringtable.payload.out", Kind.COUNTER, "bytes", "bytes of messages delivered"),
    MESSAGES_REJECTED("ringtable.messages.rejected", Kind.COUNTER, null, "messages refused with an outcome"),
    DUPLICATES(
            "ringtable.duplicates",
            Kind.COUNTER,
            null,
            "messages that were sent again, accepted, and not stored a second time"),
    TRANSACTIONS_COMMITTED(
            "ringtable.transactions.committed", Kind.COUNTER, null, "AMQP transactions whose commit is durable"),
    TRANSACTIONS_ROLLED_BACK(
            "ringtable.transactions.rolled.back",
            Kind.COUNTER,
            null,
            "AMQP transactions rolled back, for whatever reason"),
    CREDIT_STALLS(
            "ringtable.credit.stalls",
            Kind.COUNTER,
            null,
            "times a publishing link was left without credit: address full, hand-off full or memory short"),
    RATE_STALLS(
            "ringtable.rate.stalls",
            Kind.COUNTER,
            null,
            "times a connection was left without credit as its user had used up its rate"),
    PARKED("ringtable.parked", Kind.GAUGE, null, "messages that wait for a place in a full address now"),
    OWED(
            "ringtable.owed",
            Kind.GAUGE,
            null,
            "messages owed, by address, subscription and place (ring, backlog); capped in number"),
    QUOTA_USED("ringtable.quota.used", Kind.GAUGE, null, "share of its quota that the fullest address uses, 0 to 1"),
    ADDRESSES("ringtable.addresses", Kind.GAUGE, null, "addresses of the shard"),
    TEMPORARY_ADDRESSES("ringtable.addresses.temporary", Kind.GAUGE, null, "temporary addresses, which live in memory"),
    STUCK_ADDRESSES(
            "ringtable.addresses.stuck",
            Kind.GAUGE,
            null,
            "addresses whose dead letters or expired messages cannot move to their queue"),
    PRODUCERS("ringtable.producers", Kind.GAUGE, null, "publishers with a producer id that are known, attached or not"),
    SUBSCRIPTIONS("ringtable.subscriptions", Kind.GAUGE, null, "stored subscriptions, those of queues included"),
    PARKED_SUBSCRIPTIONS(
            "ringtable.subscriptions.parked",
            Kind.GAUGE,
            null,
            "subscriptions that the broker does not serve any further until an operator acts"),
    RING_GATE("ringtable.ring.gate", Kind.GAUGE, null, "sequence below which the ring has been cleared"),
    RING_NEXT("ringtable.ring.next", Kind.GAUGE, null, "sequence that the next message gets"),
    RING_CAPACITY("ringtable.ring.capacity", Kind.GAUGE, null, "slots of the ring"),
    RING_ROOM("ringtable.ring.room", Kind.GAUGE, null, "room in the ring: gate + capacity - next"),
    BACKLOG_MESSAGES("ringtable.backlog.messages", Kind.GAUGE, null, "rows in the backlog"),
    BACKLOG_MOVED("ringtable.backlog.moved", Kind.COUNTER, null, "messages moved from the ring to the backlog"),
    RECLAIM_TIME("ringtable.reclaim", Kind.TIMER, "seconds", "time of one reclaim portion"),
    FLUSH_TIME("ringtable.flush", Kind.TIMER, "seconds", "time of one flush, from hand-over to durable"),
    COMMIT_TIME(
            "ringtable.commit",
            Kind.TIMER,
            "seconds",
            "time of one commit, sync included, where it is a statement of its own (SQLite)"),
    LOG_WRITTEN(
            "ringtable.log.written",
            Kind.COUNTER,
            "bytes",
            "bytes written to the store's log, where it tells (SQLite)"),
    FLUSH_MESSAGES("ringtable.flush.messages", Kind.SUMMARY, null, "messages in one flush"),
    FLUSH_SETTLEMENTS("ringtable.flush.settlements", Kind.SUMMARY, null, "settlements in one flush"),
    FLUSH_BYTES("ringtable.flush.bytes", Kind.SUMMARY, "bytes", "bytes of messages in one flush"),
    INBOX_COLLECTED(
            "ringtable.inbox.collected",
            Kind.COUNTER,
            null,
            "messages that applications published in their own transactions, collected from the inbox"),
    INBOX_SETTLED(
            "ringtable.inbox.settled",
            Kind.COUNTER,
            null,
            "settlements that applications made in their own transactions, collected from the inbox"),
    INBOX_AGE(
            "ringtable.inbox.age",
            Kind.TIMER,
            "seconds",
            "age of the oldest row in a portion collected from the inbox, since it was laid down"),
    INBOX_FAILING(
            "ringtable.inbox.failing", Kind.GAUGE, null, "1 while the collector of the inbox fails and rests, else 0"),
    REDELIVERIES("ringtable.redeliveries", Kind.COUNTER, null, "deliveries that may have been seen before"),
    DEAD_LETTERS("ringtable.dead.letters", Kind.COUNTER, null, "messages moved to the dead-letter queue"),
    EXPIRED(
            "ringtable.expired",
            Kind.COUNTER,
            null,
            "messages discarded at delivery because their time to live was over"),
    READ_BACK("ringtable.read.back", Kind.COUNTER, null, "messages read back from the store for delivery"),
    TRACES_DROPPED(
            "ringtable.traces.dropped",
            Kind.COUNTER,
            null,
            "spans that were not made: they came faster than they could be written, or could not be"),
    TRACES_PASSED_OVER(
            "ringtable.traces.passed.over",
            Kind.COUNTER,
            null,
            "sampled messages without spans: more came than ringtable.tracing.messages-per-second"),
    PUBLISHERS_HELD(
            "ringtable.publishers.held",
            Kind.GAUGE,
            null,
            "1 while all publishers are held back because heap or disk runs short, else 0"),
    MEMORY("ringtable.memory", Kind.GAUGE, "bytes", "bytes of messages that wait in memory for delivery"),
    UNSETTLED("ringtable.unsettled", Kind.GAUGE, "bytes", "bytes of messages that consumers hold unsettled");

    /** Names the kind of meter that carries a metric. */
    public enum Kind {
        GAUGE,
        COUNTER,
        TIMER,
        SUMMARY
    }

    private final String id;
    private final Kind kind;
    private final String unit;
    private final String meaning;

    BrokerMetric(String id, Kind kind, String unit, String meaning) {
        this.id = id;
        this.kind = kind;
        this.unit = unit;
        this.meaning = meaning;
    }

    /** Returns Micrometer's name. */
    public String id() {
        return id;
    }

    public Kind kind() {
        return kind;
    }

    /** Returns the unit; null if the metric counts things. */
    public String unit() {
        return unit;
    }

    public String meaning() {
        return meaning;
    }

    /** Returns the name under which Prometheus sees the metric. */
    public String prometheusName() {
        String base = id.replace('.', '_');
        String withUnit = unit == null || base.endsWith("_" + unit) ? base : base + "_" + unit;
        return kind == Kind.COUNTER ? withUnit + "_total" : withUnit;
    }
}
