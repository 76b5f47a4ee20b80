package io.ringtable.broker.amqp;

import jakarta.jms.CompletionListener;
import jakarta.jms.Message;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts outcomes. */
final class SendOutcomes implements CompletionListener {
    final AtomicInteger accepted = new AtomicInteger();
    final List<Exception> refused = new CopyOnWriteArrayList<>();

    @Override
    public void onCompletion(Message message) {
        accepted.incrementAndGet();
    }

    @Override
    public void onException(Message message, Exception exception) {
        refused.add(exception);
    }
}
