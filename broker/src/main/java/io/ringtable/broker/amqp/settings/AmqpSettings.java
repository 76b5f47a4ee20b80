package io.ringtable.broker.amqp.settings;

import java.util.Objects;

/**
 * How the broker speaks AMQP. Every bound is refused outside its range; {@link #builder()} begins with the defaults.
 *
 * @param host address to listen on; loopback unless configured
 * @param port 0 = any free one, for tests
 * @param containerId the broker's AMQP container id
 * @param ioThreads event loops; 0 = one for each two processors, at least one
 * @param maxFrameSize largest frame in bytes, 512 to 1 MiB. Small frames let large messages share a connection; a
 *     session's window is counted in frames
 * @param maxMessageSize largest message in bytes; larger ones are refused with amqp:link:message-size-exceeded
 * @param connectionsMax connections at once
 * @param sessionsMax sessions of one connection
 * @param linksMax links of one connection
 * @param idleTimeoutMs a connection that is silent for so long is closed; 0 = never
 * @param handshakeTimeoutMs from accept to the client's open
 * @param linkCredit messages that one publishing link may have on their way
 * @param bufferedBytesMax bytes of messages that one connection may have without an outcome; at least maxMessageSize
 * @param heldBytesMax bytes of messages that one connection may hold in every form: without an outcome, without an end, unread, in
 *     transactions; 0 = four times bufferedBytesMax, and transactionBytesMax, but a quarter of the heap where that is less; one that
 *     holds more is closed
 * @param allHeldBytesMax bytes of messages that all connections may hold before each is held back to an equal share, those of one
 *     user half of it; 0 = a quarter of the heap
 * @param temporaryAddressesMax temporary addresses of one connection
 * @param parkedMessagesMax messages of one link that wait for a place in a full address
 * @param parkedBytesMax bytes of one link that wait so
 * @param parkedMs how long an address may be full before what waits for it is rejected
 * @param outboundBytesMax bytes written to a client and not yet taken by it, before deliveries to it pause
 * @param outboundStallMs a client that takes nothing for so long while bytes wait is closed
 * @param transactionsMax open transactions of one connection
 * @param transactionBytesMax bytes of messages, published and received, that the open transactions of one connection may hold
 * @param transactionIdleMs a transaction that holds messages and has taken in none for so long is rolled back; 0 = never
 * @param stopTimeoutMs how long a graceful stop waits for outcomes
 * @param authenticator null = everybody may connect
 * @param logins what logins may cost
 * @param tls null = plain TCP
 */
public record AmqpSettings(
        String host,
        int port,
        String containerId,
        int ioThreads,
        int maxFrameSize,
        int maxMessageSize,
        int connectionsMax,
        int sessionsMax,
        int linksMax,
        long idleTimeoutMs,
        long handshakeTimeoutMs,
        int linkCredit,
        long bufferedBytesMax,
        long heldBytesMax,
        long allHeldBytesMax,
        int temporaryAddressesMax,
        int parkedMessagesMax,
        long parkedBytesMax,
        long parkedMs,
        int outboundBytesMax,
        long outboundStallMs,
        int transactionsMax,
        long transactionBytesMax,
        long transactionIdleMs,
        long stopTimeoutMs,
        Authenticator authenticator,
        LoginSettings logins,
        TlsSettings tls) {

    private static final int MIB = 1024 * 1024;

    public AmqpSettings {
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(containerId, "containerId");
        Objects.requireNonNull(logins, "logins");
        if (host.isBlank()) {
            throw new IllegalArgumentException(
                    "RT-1101 amqp.host is empty: name an address, 127.0.0.1 for this machine");
        }
        range("RT-1102", "port", port, 0, 65_535);
        range("RT-1103", "io-threads", ioThreads, 0, 256);
        range("RT-1104", "max-frame-size", maxFrameSize, 512, MIB);
        range("RT-1105", "max-message-size", maxMessageSize, 1024, 512L * MIB);
        range("RT-1106", "connections-max", connectionsMax, 1, 1_000_000);
        range("RT-1107", "sessions-max", sessionsMax, 1, 65_536);
        range("RT-1108", "links-max", linksMax, 1, 1_000_000);
        if (idleTimeoutMs != 0) {
            range("RT-1109", "idle-timeout-ms", idleTimeoutMs, 100, Integer.MAX_VALUE);
        }
        range("RT-1110", "handshake-timeout-ms", handshakeTimeoutMs, 1, Integer.MAX_VALUE);
        range("RT-1111", "link-credit", linkCredit, 1, 1_000_000);
        if (bufferedBytesMax < maxMessageSize) {
            throw new IllegalArgumentException("RT-1112 amqp.buffered-bytes-max=" + bufferedBytesMax
                    + " < amqp.max-message-size=" + maxMessageSize
                    + ": raise amqp.buffered-bytes-max or lower amqp.max-message-size");
        }
        if (heldBytesMax == 0) {
            long roomy = Math.min(
                    4 * bufferedBytesMax + transactionBytesMax,
                    Runtime.getRuntime().maxMemory() / 4);
            heldBytesMax = Math.max(bufferedBytesMax + maxMessageSize, roomy);
        }
        if (heldBytesMax < bufferedBytesMax + maxMessageSize) {
            throw new IllegalArgumentException("RT-4323 amqp.held-bytes-max=" + heldBytesMax
                    + " < amqp.buffered-bytes-max=" + bufferedBytesMax + " + amqp.max-message-size=" + maxMessageSize
                    + ": raise amqp.held-bytes-max or lower the others");
        }
        if (allHeldBytesMax == 0) {
            allHeldBytesMax = Runtime.getRuntime().maxMemory() / 4;
        }
        range("RT-4324", "all-held-bytes-max", allHeldBytesMax, 1024, Long.MAX_VALUE);
        range("RT-4325", "temporary-addresses-max", temporaryAddressesMax, 1, 1_000_000);
        range("RT-1113", "parked-messages-max", parkedMessagesMax, 0, 1_000_000);
        range("RT-1114", "parked-bytes-max", parkedBytesMax, 0, Long.MAX_VALUE);
        range("RT-1115", "parked-ms", parkedMs, 0, Integer.MAX_VALUE);
        range("RT-1116", "outbound-bytes-max", outboundBytesMax, 64 * 1024, 1024L * MIB);
        range("RT-1117", "outbound-stall-ms", outboundStallMs, 1, Integer.MAX_VALUE);
        range("RT-1119", "transactions-max", transactionsMax, 1, 1_000_000);
        range("RT-1120", "transaction-bytes-max", transactionBytesMax, 1024, Long.MAX_VALUE);
        range("RT-1121", "transaction-idle-ms", transactionIdleMs, 0, Integer.MAX_VALUE);
        range("RT-1118", "stop-timeout-ms", stopTimeoutMs, 0, Integer.MAX_VALUE);
    }

    private static void range(String code, String property, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(code + " amqp." + property + "=" + value + " is outside " + least
                    + " to " + most + ": choose a value between");
        }
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Everything as {@link #builder()} has it. */
    public static AmqpSettings defaults() {
        return builder().build();
    }

    public int effectiveIoThreads() {
        return ioThreads > 0 ? ioThreads : Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    }

    /** Collects settings; {@link #build} validates them. Not thread-safe. */
    public static final class Builder {
        private String host = "127.0.0.1";
        private int port = 5672;
        private String containerId = "ringtable";
        private int ioThreads;
        private int maxFrameSize = 64 * 1024;
        private int maxMessageSize = 16 * MIB;
        private int connectionsMax = 10_000;
        private int sessionsMax = 1_024;
        private int linksMax = 10_000;
        private long idleTimeoutMs = 60_000;
        private long handshakeTimeoutMs = 10_000;
        private int linkCredit = 1_000;
        private long bufferedBytesMax = 64L * MIB;
        private long heldBytesMax;
        private long allHeldBytesMax;
        private int temporaryAddressesMax = 1_000;
        private int parkedMessagesMax = 200;
        private long parkedBytesMax = 16L * MIB;
        private long parkedMs = 2_000;
        private int outboundBytesMax = MIB;
        private long outboundStallMs = 60_000;
        private int transactionsMax = 1_000;
        private long transactionBytesMax = 64L * MIB;
        private long transactionIdleMs = 300_000;
        private long stopTimeoutMs = 10_000;
        private Authenticator authenticator;
        private LoginSettings logins = LoginSettings.DEFAULTS;
        private TlsSettings tls;

        private Builder() {}

        public Builder host(String value) {
            host = value;
            return this;
        }

        public Builder port(int value) {
            port = value;
            return this;
        }

        public Builder containerId(String value) {
            containerId = value;
            return this;
        }

        public Builder ioThreads(int value) {
            ioThreads = value;
            return this;
        }

        public Builder maxFrameSize(int value) {
            maxFrameSize = value;
            return this;
        }

        public Builder maxMessageSize(int value) {
            maxMessageSize = value;
            return this;
        }

        public Builder connectionsMax(int value) {
            connectionsMax = value;
            return this;
        }

        public Builder sessionsMax(int value) {
            sessionsMax = value;
            return this;
        }

        public Builder linksMax(int value) {
            linksMax = value;
            return this;
        }

        public Builder idleTimeoutMs(long value) {
            idleTimeoutMs = value;
            return this;
        }

        public Builder handshakeTimeoutMs(long value) {
            handshakeTimeoutMs = value;
            return this;
        }

        public Builder linkCredit(int value) {
            linkCredit = value;
            return this;
        }

        public Builder bufferedBytesMax(long value) {
            bufferedBytesMax = value;
            return this;
        }

        public Builder heldBytesMax(long value) {
            heldBytesMax = value;
            return this;
        }

        public Builder allHeldBytesMax(long value) {
            allHeldBytesMax = value;
            return this;
        }

        public Builder temporaryAddressesMax(int value) {
            temporaryAddressesMax = value;
            return this;
        }

        public Builder parkedMessagesMax(int value) {
            parkedMessagesMax = value;
            return this;
        }

        public Builder parkedBytesMax(long value) {
            parkedBytesMax = value;
            return this;
        }

        public Builder parkedMs(long value) {
            parkedMs = value;
            return this;
        }

        public Builder outboundBytesMax(int value) {
            outboundBytesMax = value;
            return this;
        }

        public Builder outboundStallMs(long value) {
            outboundStallMs = value;
            return this;
        }

        public Builder transactionsMax(int value) {
            transactionsMax = value;
            return this;
        }

        public Builder transactionBytesMax(long value) {
            transactionBytesMax = value;
            return this;
        }

        public Builder transactionIdleMs(long value) {
            transactionIdleMs = value;
            return this;
        }

        public Builder stopTimeoutMs(long value) {
            stopTimeoutMs = value;
            return this;
        }

        public Builder authenticator(Authenticator value) {
            authenticator = value;
            return this;
        }

        public Builder logins(LoginSettings value) {
            logins = value;
            return this;
        }

        public Builder tls(TlsSettings value) {
            tls = value;
            return this;
        }

        public AmqpSettings build() {
            return new AmqpSettings(
                    host,
                    port,
                    containerId,
                    ioThreads,
                    maxFrameSize,
                    maxMessageSize,
                    connectionsMax,
                    sessionsMax,
                    linksMax,
                    idleTimeoutMs,
                    handshakeTimeoutMs,
                    linkCredit,
                    bufferedBytesMax,
                    heldBytesMax,
                    allHeldBytesMax,
                    temporaryAddressesMax,
                    parkedMessagesMax,
                    parkedBytesMax,
                    parkedMs,
                    outboundBytesMax,
                    outboundStallMs,
                    transactionsMax,
                    transactionBytesMax,
                    transactionIdleMs,
                    stopTimeoutMs,
                    authenticator,
                    logins,
                    tls);
        }
    }
}
