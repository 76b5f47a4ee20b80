package io.ringtable.broker.amqp.link;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

public class PeerLogTest {
    private final ListAppender<ILoggingEvent> written = new ListAppender<>();
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // as System.nanoTime may begin anywhere
    private final PeerLog log;

    public PeerLogTest() {
        Logger logger = new LoggerContext().getLogger("peers");
        written.start();
        logger.addAppender(written);
        log = new PeerLog(logger, nanos::get);
    }

    private List<String> lines() {
        return written.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    public void writesOneCleanLineWithoutAStackTrace() {
        log.warn("RT-4038 login refused, {}: {}", "a\nb\u202e", new IllegalStateException("c\r\nd"));

        assertThat(lines()).containsExactly("RT-4038 login refused, a?b?: java.lang.IllegalStateException: c??d");
        assertThat(written.list.get(0).getThrowableProxy()).isNull();
    }

    @Test
    public void cutsWhatIsLong() {
        log.warn("RT-4030 {}", "x".repeat(1_000_000));

        assertThat(lines().get(0)).hasSizeLessThan(300).endsWith("(1000000 characters)");
    }

    @Test
    public void writesNoMoreThanItsBudgetAndSaysWhatWasLeftOut() {
        for (int i = 0; i < 1_000; i++) {
            log.warn("RT-4038 {}", i);
        }
        assertThat(lines()).hasSize(50);
        log.warn("RT-4032 another kind has a budget of its own");
        assertThat(lines()).hasSize(51);

        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        for (int i = 0; i < 1_000; i++) {
            log.warn("RT-4038 {}", i);
        }
        assertThat(lines()).hasSize(56);
        assertThat(lines().get(51)).isEqualTo("RT-4038 0 (lines like this left out before: 950)");
        assertThat(lines().get(52)).isEqualTo("RT-4038 1");
    }
}
