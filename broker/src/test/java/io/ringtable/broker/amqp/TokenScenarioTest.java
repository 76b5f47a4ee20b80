package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.SignedTokens;
import io.ringtable.broker.TestCertificate;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.JMSSecurityRuntimeException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Date;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Bearer tokens: XOAUTH2 with Qpid JMS over TLS, and OAUTHBEARER in frames of the test's own. */
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class TokenScenarioTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @TempDir
    private static Path directory;

    private static SignedTokens issuer;
    private static TestBroker secure;
    private static TestBroker broker;

    @BeforeAll
    static void start() throws Exception {
        issuer = new SignedTokens();
        Path keys = Files.writeString(directory.resolve("keys.json"), issuer.jwks());
        TestCertificate certificate = TestCertificate.make(directory, "broker", "CN=localhost");
        secure = TestBroker.start(
                directory.resolve("secure"),
                SignedTokens.settings("file:" + keys)
                        .with("ringtable.amqp.tls.certificate", certificate.certificate())
                        .with("ringtable.amqp.tls.private-key", certificate.privateKey()));
        broker = TestBroker.start(directory.resolve("plain"), SignedTokens.settings("file:" + keys));
    }

    @AfterAll
    static void stop() {
        secure.close();
        broker.close();
    }

    private static JMSContext connect(String token) {
        return new JmsConnectionFactory("amqps://127.0.0.1:" + secure.port()
                        + "?transport.trustAll=true&transport.verifyHost=false&amqp.saslMechanisms=XOAUTH2")
                .createContext("anything", token);
    }

    @Test
    void aTokenNamesItsUser() throws Exception {
        try (JMSContext context = connect(large("ann"))) {
            context.setClientID("desk");
            context.createDurableConsumer(context.createTopic("prices"), "all").close();
            assertThat(secure.shard().lookup().ownerOf("desk")).isEqualTo("ann");
        }
    }

    @Test
    void aTokenOfSomebodyElseIsRefusedWithTheReasonInTheLog(CapturedOutput output) throws Exception {
        String token = new SignedTokens().token("ann", HOUR);
        assertThatThrownBy(() -> connect(token)).isInstanceOf(JMSSecurityRuntimeException.class);
        assertThat(output.getAll())
                .containsPattern("RT-4038 login refused, .*: the token is not valid here: .*signature")
                .doesNotContain(token);
    }

    @Test
    void theExpiryOfATokenEndsItsConnection() throws Exception {
        BlockingQueue<JMSException> ends = new LinkedBlockingQueue<>();
        try (JMSContext context = sentInTime(Duration.ofSeconds(2), ends)) {
            assertThat(ends.poll(60, TimeUnit.SECONDS))
                    .as("the end of %s", context)
                    .isNotNull()
                    .hasMessageContaining("RT-4339 the token of this connection has expired");
        }
    }

    /** Sends with a token that lasts as long, or twice as long where that was too short beside other load. */
    private static JMSContext sentInTime(Duration validity, BlockingQueue<JMSException> ends) throws Exception {
        String token = issuer.token("ann", validity);
        JMSContext context = null;
        try {
            context = connect(token);
            context.setExceptionListener(ends::add);
            context.createProducer().send(context.createQueue("q"), "in time");
            return context;
        } catch (JMSRuntimeException expired) {
            if (context != null) {
                context.close();
            }
            if (validity.compareTo(HOUR) > 0) {
                throw expired;
            }
            ends.clear();
            return sentInTime(validity.multipliedBy(2), ends);
        }
    }

    @Test
    void oauthbearerTakesTheSameTokens() throws Exception {
        String pairs = "\u0001host=localhost\u0001port=5672\u0001auth=Bearer ";
        assertThat(outcome("n,a=ann," + pairs + large("ann") + "\u0001\u0001")).isEqualTo(SaslPeer.OK);
        assertThat(outcome("n,,\u0001auth=bearer " + issuer.token("ann", HOUR) + "\u0001\u0001"))
                .isEqualTo(SaslPeer.OK);
        assertThat(outcome("n,," + pairs + new SignedTokens().token("ann", HOUR) + "\u0001\u0001"))
                .isEqualTo(SaslPeer.AUTH);
        assertThat(outcome("n,,\u0001host=localhost\u0001\u0001")).isEqualTo(SaslPeer.AUTH);
        assertThat(outcome("n,," + pairs + "x".repeat(17_000) + "\u0001\u0001")).isEqualTo(SaslPeer.AUTH);
    }

    /** Makes a token of many claims that is valid for longer than clocks count. */
    private static String large(String user) throws Exception {
        return issuer.token(claims ->
                claims.subject(user).claim("padding", "x".repeat(5_000)).expirationTime(new Date(Long.MAX_VALUE)));
    }

    private static int outcome(String message) throws Exception {
        byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
        try (SaslPeer peer = new SaslPeer("127.0.0.1", "127.0.0.1", broker.port(), "OAUTHBEARER", bytes)) {
            return peer.outcome();
        }
    }
}
