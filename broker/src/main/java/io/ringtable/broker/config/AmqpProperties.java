package io.ringtable.broker.config;

import jakarta.validation.constraints.NotBlank;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * Says where the broker serves AMQP clients, and bounds the requests of one client.
 *
 * @param host Name or address of the interface to listen on. An interface other than loopback needs users.
 * @param port Port to listen on; 0 takes a free one, which the start-up line names.
 * @param advertisedUrl URL under which clients reach this node, as the list of nodes shows it: amqp:// or amqps:// with
 *     host and port. Without a value it is made of host and port, with the name of this machine where host is 0.0.0.0.
 * @param containerId The broker's AMQP container id.
 * @param ioThreads Number of event loops; 0 = one for each two processors, at least one.
 * @param maxFrameSize Largest frame that the broker accepts.
 * @param maxMessageSize Largest message. A larger one is refused with amqp:link:message-size-exceeded, and its
 *     connection lives on.
 * @param connectionsMax Connections that may be open at once.
 * @param handshakesMax Connections that may be on their way at once, before their login and their open frame. Beyond
 *     that the broker closes one of the address that has most of them.
 * @param linksMax Links that one connection may have.
 * @param idleTimeout The broker closes a connection that stays silent longer than this; 0 = never.
 * @param handshakeTimeout Longest time from accepting a connection to the client's open frame.
 * @param linkCredit Messages that one publishing link may have on their way. A fifth as many may wait for a full
 *     address.
 * @param bufferedBytesMax Bytes of messages that one connection may have without an outcome; at least max-message-size.
 *     One link may wait for a full address with a quarter of them.
 * @param heldBytesMax Bytes of messages that one connection may hold in every form: without an outcome, without an end,
 *     unread, in transactions. The broker closes a connection that holds more. Without a value this is four times
 *     buffered-bytes-max and transaction-bytes-max, or a quarter of the heap where that is less.
 * @param allHeldBytesMax Bytes of messages that all connections may hold before each is held back to an equal share.
 *     The connections of one user may hold half of it. Without a value this is a quarter of the heap.
 * @param temporaryAddressesMax Temporary addresses that one connection may have.
 * @param parkedTimeout How long an address may be full before the broker rejects the messages that wait for it.
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

        String advertisedUrl,

        @DefaultValue("ringtable") @NotBlank(message = "is empty: give the broker a name")
        String containerId,

        @DefaultValue("0") @Within(min = "0", max = "256") int ioThreads,

        @DefaultValue("64KB") @Within(min = "512B", max = "1MB")
        DataSize maxFrameSize,

        @DefaultValue("16MB") @Within(min = "1KB", max = "512MB")
        DataSize maxMessageSize,

        @DefaultValue("10000") @Within(min = "1", max = "1000000")
        int connectionsMax,

        @DefaultValue("2000") @Within(min = "1", max = "1000000")
        int handshakesMax,

        @DefaultValue("10000") @Within(min = "1", max = "1000000")
        int linksMax,

        @DefaultValue("60s")
        @Within(
                min = "100ms",
                max = "24h",
                orZero = true,
                message = "is neither 0 nor between {min} and {max}: set it to one of these, or remove it for the"
                        + " default")
        Duration idleTimeout,

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

        @DefaultValue("2s") @Within(min = "0", max = "1h") Duration parkedTimeout,

        @DefaultValue("60s") @Within(min = "1ms", max = "24h")
        Duration outboundStallTimeout,

        @DefaultValue("1000") @Within(min = "1", max = "1000000")
        int transactionsMax,

        @DefaultValue("64MB") @Within(min = "1KB", max = "64GB")
        DataSize transactionBytesMax,

        @DefaultValue("5m") @Within(min = "0", max = "24h") Duration transactionIdleTimeout,

        @DefaultValue("10s") @Within(min = "0", max = "1h") Duration stopTimeout,
        @DefaultValue Tls tls) {

    /** Derives missing values from other properties and the heap, and refuses bounds that contradict each other. */
    public AmqpProperties {
        ioThreads = ioThreads == 0 ? Math.max(1, Runtime.getRuntime().availableProcessors() / 2) : ioThreads;
        if (bufferedBytesMax.compareTo(maxMessageSize) < 0) {
            throw new ConfigurationRefused(
                    "RT-1112",
                    "ringtable.amqp.buffered-bytes-max=" + bufferedBytesMax
                            + " is less than ringtable.amqp.max-message-size=" + maxMessageSize
                            + ": raise the one or lower the other");
        }
        if (advertisedUrl != null && !isUrl(advertisedUrl)) {
            throw new ConfigurationRefused(
                    "RT-4542",
                    "ringtable.amqp.advertised-url=" + advertisedUrl + " is no URL of a node: write amqp:// or amqps://"
                            + " with host and port, at most " + URL_MAX + " characters, such as"
                            + " amqp://broker-1.example.com:5672");
        }
        long heapQuarter = Runtime.getRuntime().maxMemory() / 4;
        long heldLeast = bufferedBytesMax.toBytes() + maxMessageSize.toBytes();
        if (heldBytesMax == null) {
            long roomy = Math.min(4 * bufferedBytesMax.toBytes() + transactionBytesMax.toBytes(), heapQuarter);
            heldBytesMax = DataSize.ofBytes(Math.max(heldLeast, roomy));
        }
        if (heldBytesMax.toBytes() < heldLeast) {
            throw new ConfigurationRefused(
                    "RT-4323",
                    "ringtable.amqp.held-bytes-max=" + heldBytesMax
                            + " is less than ringtable.amqp.buffered-bytes-max=" + bufferedBytesMax
                            + " and ringtable.amqp.max-message-size=" + maxMessageSize
                            + " together: raise it or lower the others");
        }
        allHeldBytesMax = allHeldBytesMax == null ? DataSize.ofBytes(heapQuarter) : allHeldBytesMax;
    }

    private static final int URL_MAX = 1_000; // as the table of nodes takes it

    private static boolean isUrl(String text) {
        try {
            URI url = new URI(text);
            return text.length() <= URL_MAX
                    && ("amqp".equals(url.getScheme()) || "amqps".equals(url.getScheme()))
                    && url.getHost() != null
                    && url.getPort() > 0
                    && url.getUserInfo() == null; // a password would be shown to everybody
        } catch (URISyntaxException e) {
            return false;
        }
    }

    /**
     * Names the broker's certificate: two PEM files, one key store, or an SSL bundle of Spring Boot. Says whether
     * clients show certificates of theirs.
     *
     * @param certificate PEM file, the broker's certificate first.
     * @param privateKey PEM file, PKCS#8.
     * @param keyStore PKCS#12 or JKS file, instead of the PEM files.
     * @param password Password of the private key or of the key store; never printed.
     * @param bundle Name of an SSL bundle (spring.ssl.bundle), instead of files. Where the bundle is reloaded, new
     *     connections get the new certificate.
     * @param clientAuth Whether clients show a certificate: none, want (they may) or need (they must). A client that
     *     logs in with EXTERNAL is the user whom its certificate names.
     * @param trustCertificates PEM file with the certificates that those of clients must come from. With a bundle its
     *     trust store says so instead.
     * @param userFrom Name in a client's certificate that is the name of its user: subject-cn, subject-dn, san-dns,
     *     san-email or san-uri.
     */
    public record Tls(
            Path certificate,
            Path privateKey,
            Path keyStore,
            String password,
            String bundle,
            @DefaultValue("none") ClientAuth clientAuth,
            Path trustCertificates,
            @DefaultValue("subject-cn") CertificateName userFrom) {

        /** Lists what the broker asks of clients in TLS. */
        public enum ClientAuth {
            NONE,
            WANT,
            NEED
        }

        /** Refuses half of a certificate, two of them, files that cannot be read, and clients without an authority. */
        public Tls {
            boolean pem = certificate != null || privateKey != null;
            if (pem && keyStore != null) {
                throw new ConfigurationRefused(
                        "RT-1121",
                        "ringtable.amqp.tls names PEM files and a key store: set ringtable.amqp.tls.certificate and"
                                + " ringtable.amqp.tls.private-key, or ringtable.amqp.tls.key-store");
            }
            if (pem && (certificate == null || privateKey == null)) {
                throw new ConfigurationRefused(
                        "RT-1122",
                        "ringtable.amqp.tls.certificate=" + certificate + " and ringtable.amqp.tls.private-key="
                                + privateKey + ": both are needed");
            }
            if (bundle != null && (pem || keyStore != null || trustCertificates != null)) {
                throw new ConfigurationRefused(
                        "RT-1124",
                        "ringtable.amqp.tls.bundle=" + bundle + " and files of ringtable.amqp.tls: remove the files, or"
                                + " the bundle");
            }
            boolean trusts = bundle != null || trustCertificates != null;
            if (clientAuth != ClientAuth.NONE && !(trusts && (bundle != null || pem || keyStore != null))) {
                throw new ConfigurationRefused(
                        "RT-1125",
                        "ringtable.amqp.tls.client-auth=" + clientAuth.name().toLowerCase(Locale.ROOT)
                                + " needs a certificate of the broker and ringtable.amqp.tls.trust-certificates, or"
                                + " ringtable.amqp.tls.bundle");
            }
            if (clientAuth == ClientAuth.NONE && trustCertificates != null) {
                throw new ConfigurationRefused(
                        "RT-1126",
                        "ringtable.amqp.tls.trust-certificates=" + trustCertificates + " and"
                                + " ringtable.amqp.tls.client-auth=none: nobody shows a certificate; set client-auth to"
                                + " want or need");
            }
            requireReadable("certificate", certificate);
            requireReadable("private-key", privateKey);
            requireReadable("key-store", keyStore);
            requireReadable("trust-certificates", trustCertificates);
        }

        private static void requireReadable(String property, Path file) {
            if (file != null && !Files.isReadable(file)) {
                throw new ConfigurationRefused(
                        "RT-1123",
                        "ringtable.amqp.tls." + property + "=" + file
                                + " cannot be read: check the path and the permissions");
            }
        }

        public boolean isConfigured() {
            return certificate != null || keyStore != null || bundle != null;
        }

        /** Leaves the password out. */
        @Override
        public String toString() {
            if (bundle != null) {
                return "TLS with bundle " + bundle;
            }
            return keyStore != null ? "TLS with key store " + keyStore : "TLS with certificate " + certificate;
        }
    }
}
