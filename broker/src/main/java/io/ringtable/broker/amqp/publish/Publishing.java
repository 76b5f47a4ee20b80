package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.amqp.encoding.MessageFacts;
import io.ringtable.broker.amqp.link.AddressLinks;
import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.link.CatalogRequests;
import io.ringtable.broker.amqp.link.ConnectionMemory;
import io.ringtable.broker.amqp.link.ConnectionRights;
import io.ringtable.broker.amqp.link.HandOff;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.link.WaitingBytes;
import io.ringtable.broker.amqp.numbering.RelayNumbers;
import io.ringtable.broker.amqp.relay.Front;
import io.ringtable.broker.amqp.transaction.Transactions;
import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.watermark.Watermarks;

/**
 * Holds what the publishing links of one connection work with.
 *
 * @param facts of the message that is being read
 * @param creditHolders of all connections
 * @param waitingBytes of all connections
 * @param addressLinks of all connections
 * @param front passes messages on to other nodes; null where none are
 */
public record Publishing(
        OpenConnection connection,
        ConnectionRights rights,
        AmqpProperties settings,
        AmqpCounters counters,
        Shard shard,
        Watermarks watermarks,
        ConnectionMemory memory,
        HandOff handOff,
        FlowControl flow,
        Transactions transactions,
        CatalogRequests requests,
        MessageFacts facts,
        CreditHolders creditHolders,
        WaitingBytes waitingBytes,
        AddressLinks addressLinks,
        Front front) {

    /** Returns what asks this node about messages that it has passed on. */
    RelayNumbers relayNumbers() {
        return new RelayNumbers(shard, requests, connection.description());
    }
}
