package io.ringtable.examples.bookshop;

import jakarta.jms.JMSException;
import jakarta.jms.Message;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.stereotype.Component;

/** Prints reminders when they are due: the broker stores a delayed message at once and delivers it no earlier. */
@Component
class Reminders {
    private static final long SECONDS_MAX = 30;

    private final CountDownLatch reminded = new CountDownLatch(1);

    @JmsListener(destination = "reminders")
    void remind(@Payload String text, Message reminder) throws JMSException {
        boolean early = System.currentTimeMillis() < reminder.getJMSTimestamp() + OrderDesk.LATER.toMillis();
        System.out.println("reminder: " + text + (early ? ", but it is too early" : ""));
        reminded.countDown();
    }

    void awaitReminder() throws InterruptedException {
        if (!reminded.await(SECONDS_MAX, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the reminder did not come in time");
        }
    }
}
