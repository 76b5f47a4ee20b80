package io.ringtable.broker.amqp;

import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.test.driver.ProtonTestClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a connection begins, and how it is kept alive. */
@Timeout(120)
class ConnectionFramesScenarioTest extends FrameScenario {
    private static final int IDLE_MS = 3_000;

    @Test
    void anEmptyFrameComesWellWithinTheClientsIdleTimeOut() throws Exception {
        try (ProtonTestClient quiet = new ProtonTestClient()) {
            quiet.queueClientSaslAnonymousConnect();
            quiet.remoteOpen().withContainerId("quiet").withIdleTimeOut(IDLE_MS).queue();
            quiet.expectOpen();
            quiet.expectEmptyFrame();
            quiet.expectEmptyFrame();
            quiet.connect("127.0.0.1", broker.port());
            // Both are due by the first half. No end waits for a disk, and a thread that is ready waits milliseconds
            // for a processor, whatever runs beside.
            quiet.waitForScriptToComplete(2 * IDLE_MS, TimeUnit.MILLISECONDS);
        }
    }

    @Test
    void aConnectionWithoutSaslIsServedWhileThereAreNoUsers() throws Exception {
        try (ProtonTestClient plain = new ProtonTestClient()) {
            plain.remoteAMQPHeader().queue();
            plain.expectAMQPHeader();
            plain.remoteOpen().withContainerId("plain").queue();
            plain.expectOpen();
            plain.remoteClose().queue();
            plain.expectClose();
            plain.connect("127.0.0.1", broker.port());
            done(plain);
        }
    }
}
