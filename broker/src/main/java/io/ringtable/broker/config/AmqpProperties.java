package io.ringtable.broker.config;

import jakarta.validation.constraints.NotBlank;
import java.nio.file.Path;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * Says where the broker serves AMQP clients, and bounds the requests of one client.
 *
 * @param host Name or address of the interface to listen on. An interface other than loopback needs users.
 * @param port Port to listen on; 0 takes a free one, which the start-up line names.
 * @param containerId The broker's AMQP container id.
 * @param ioThreads Number of event loops; 0 = one for each two processors, at least one.
 * @param maxFrameSize Largest frame that the broker accepts.
 * @param maxMessageSize Largest message. A larger one is refused with amqp:link:message-size-exceeded, and its
 *     connection lives on.
 * @param connectionsMax Connections that may be open at once.
 * @param sessionsMax Sessions that one connection may have.
 * @param linksMax Links that one connection may have.
 * @param idleTimeout The broker closes a connection that stays silent longer than this; 0 = never.
 * @param handshakeTimeout Longest time from accepting a connection to the client's open frame.
 * @param linkCredit Messages that one publishing link may have on their way.
 * @param bufferedBytesMax Bytes of messages that one connection may have without an outcome; at least max-message-size.
 * @param heldBytesMax Bytes of messages that one connection may hold in every form: without an outcome, without an end,
 *     unread, in transactions. The broker closes a connection that holds more. Without a value this is four times
 *     buffered-bytes-max and transaction-bytes-max, or a quarter of the heap where that is less.
 * @param allHeldBytesMax Bytes of messages that all connections may hold before each is held back to an equal share.
 *     The connections of one user may hold half of it. Without a value this is a quarter of the heap.
 * @param temporaryAddressesMax Temporary addresses that one connection may have.
 * @param parkedMessagesMax Messages of one link that may wait for a place in a full address.
 * @param parkedBytesMax Bytes of one link that may wait for a place in a full address.
 * @param parkedTimeout How long an address may be full before the broker rejects the messages that wait for it.
 * @param outboundBytesMax Bytes that the broker may have written to a client without the client taking them; beyond
 *     that, deliveries to it pause.
 * @param outboundStallTimeout The broker closes a client that takes nothing for longer than this while bytes wait for
 *     it.
 * @param transactionsMax Open transactions that one connection may have.
 * @param transactionBytesMax Bytes of messages, published and received, that the open transactions of one connection
 *     may hold.
 * @param transactionIdleTimeout The broker rolls back a transaction that holds messages and has taken in none for
 *     longer than this; 0 = never.
 * @param stopTimeout How long a graceful stop waits for outcomes.
 */
@Validated
@ConfigurationProperties("ringtable.amqp")
public record AmqpProperties(
        @DefaultValue("127.0.0.1") @NotBlank(message = "is empty: name the interface to listen on, such as 127.0.0.1")
        String host,

        @DefaultValue("5672") @Within(min = "0", max = "65535")
        int port,

        @DefaultValue("ringtable") @NotBlank(message = "is empty: give the broker a name")
        String containerId,

        @DefaultValue("0") @Within(min = "0", max = "256") int ioThreads,

        @DefaultValue("64KB") @Within(min = "512B", max = "1MB")
        DataSize maxFrameSize,

        @DefaultValue("16MB") @Within(min = "1KB", max = "512MB")
        DataSize maxMessageSize,

        @DefaultValue("10000") @Within(min = "1", max = "1000000")
        int connectionsMax,

        @DefaultValue("1024") @Within(min = "1", max = "65536")
        int sessionsMax,

        @DefaultValue("10000") @Within(min = "1", max = "1000000")
        int linksMax,

        @DefaultValue("60s") @Within(min = "0", max = "24h") Duration idleTimeout,

        @DefaultValue("10s") @Within(min = "1ms", max = "1h")
        Duration handshakeTimeout,

        @DefaultValue("1000") @Within(min = "1", max = "1000000")
        int linkCredit,

        @DefaultValue("64MB") @Within(min = "1KB", max = "64GB")
        DataSize bufferedBytesMax,

        @Within(min = "1KB", max = "1TB") DataSize heldBytesMax,

        @Within(min = "1KB", max = "1TB") DataSize allHeldBytesMax,

        @DefaultValue("1000") @Within(min = "1", max = "1000000")
        int temporaryAddressesMax,

        @DefaultValue("200") @Within(min = "0", max = "1000000")
        int parkedMessagesMax,

        @DefaultValue("16MB") @Within(min = "0B", max = "64GB")
        DataSize parkedBytesMax,

        @DefaultValue("2s") @Within(min = "0", max = "1h") Duration parkedTimeout,

        @DefaultValue("1MB") @Within(min = "64KB", max = "1GB")
        DataSize outboundBytesMax,

        @DefaultValue("60s") @Within(min = "1ms", max = "24h")
        Duration outboundStallTimeout,

        @DefaultValue("1000") @Within(min = "1", max = "1000000")
        int transactionsMax,

        @DefaultValue("64MB") @Within(min = "1KB", max = "64GB")
        DataSize transactionBytesMax,

        @DefaultValue("5m") @Within(min = "0", max = "24h") Duration transactionIdleTimeout,

        @DefaultValue("10s") @Within(min = "0", max = "1h") Duration stopTimeout,
        @DefaultValue Tls tls) {

    /**
     * Names the broker's certificate: two PEM files, or one key store.
     *
     * @param certificate PEM file, the broker's certificate first.
     * @param privateKey PEM file, PKCS#8.
     * @param keyStore PKCS#12 or JKS file, instead of the PEM files.
     * @param password Password of the private key or of the key store; never printed.
     */
    public record Tls(Path certificate, Path privateKey, Path keyStore, String password) {

        public boolean isConfigured() {
            return certificate != null || privateKey != null || keyStore != null;
        }

        @Override
        public String toString() {
            return "Tls[certificate=" + certificate + ", keyStore=" + keyStore + "]";
        }
    }
}
