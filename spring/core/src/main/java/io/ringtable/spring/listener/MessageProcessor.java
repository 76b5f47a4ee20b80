package io.ringtable.spring.listener;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.spring.internal.consume.BatchProcessor;
import io.ringtable.spring.observation.ProcessContext;
import io.ringtable.spring.observation.ProcessConvention;
import io.ringtable.spring.observation.RingtableObservation;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.CannotCreateTransactionException;

/**
 * Processes the messages of one call: calls the method, sends the reply, settles. Every message is settled here, except
 * in mode MANUAL, where the application does unless the method throws.
 * <p>
 * Thread: any, as the consumers of a listener share it.
 */
final class MessageProcessor implements BatchProcessor {
    private static final Logger LOG = LoggerFactory.getLogger(MessageProcessor.class);
    private static final ProcessConvention CONVENTION = new ProcessConvention();

    private final String listener;
    private final AckMode ackMode;
    private final ListenerCall call;
    private final ReplySender replies;
    private final ListenerTransactions transactions; // null unless the mode is TRANSACTIONAL
    private final RingtableErrorHandler errorHandler;
    private final ObservationRegistry observations;

    MessageProcessor(
            String listener,
            AckMode ackMode,
            ListenerCall call,
            ReplySender replies,
            ListenerTransactions transactions,
            RingtableErrorHandler errorHandler,
            ObservationRegistry observations) {
        this.listener = listener;
        this.ackMode = ackMode;
        this.call = call;
        this.replies = replies;
        this.transactions = transactions;
        this.errorHandler = errorHandler;
        this.observations = observations;
    }

    @Override
    public boolean process(List<ReceivedMessage> messages, String subscription) {
        Observation observation = RingtableObservation.PROCESS
                .observation(null, CONVENTION, () -> new ProcessContext(messages, subscription), observations)
                .start();
        try {
            return observation.scoped(() -> process(messages, observation));
        } finally {
            observation.stop();
        }
    }

    private boolean process(List<ReceivedMessage> messages, Observation observation) {
        List<ListenerCall.Item> items = call.read(messages, (message, failure) -> {
            observation.error(failure.getCause());
            settle(message, failure);
        });
        return items.isEmpty() || handle(items, observation);
    }

    private boolean handle(List<ListenerCall.Item> items, Observation observation) {
        try {
            switch (ackMode) {
                case AUTO -> {
                    invoke(items);
                    items.forEach(item -> item.message().acknowledge());
                }
                case MANUAL -> invoke(items);
                case TRANSACTIONAL -> transactions.process(items, this::invoke);
            }
            return true;
        } catch (CannotCreateTransactionException databaseAway) {
            // Counting this as a failure would make dead letters of good messages.
            LOG.warn("{} cannot begin a transaction and gives its messages back", listener, databaseAway);
            observation.error(databaseAway);
            items.forEach(item -> item.message().release());
            return false;
        } catch (ListenerFailedException failure) {
            observation.error(failure.getCause());
            return failed(items, failure, observation);
        } catch (RuntimeException failure) {
            observation.error(failure);
            return failed(items, ListenerFailedException.failed(listener, failure), observation);
        }
    }

    /** Calls the method for each message of a failed batch alone: a bad one would make dead letters of the others. */
    private boolean failed(List<ListenerCall.Item> items, ListenerFailedException failure, Observation observation) {
        boolean isBatch = items.size() > 1 && ackMode != AckMode.MANUAL;
        // An interrupted call is one that a stop has given up, with all its messages.
        boolean isGivenUp =
                Thread.currentThread().isInterrupted() || failure.getCause() instanceof InterruptedException;
        if (!isBatch || isGivenUp) {
            items.forEach(item -> settle(item.message(), failure));
            return true;
        }
        LOG.warn("{} takes the {} messages of a failed batch one by one", listener, items.size(), failure);
        boolean able = true;
        for (ListenerCall.Item item : items) {
            able &= handle(List.of(item), observation);
        }
        return able;
    }

    private void invoke(List<ListenerCall.Item> items) {
        Object reply = call.invoke(items);
        if (reply != null) {
            replies.send(items.get(0).message(), reply);
        }
    }

    private void settle(ReceivedMessage message, ListenerFailedException failure) {
        try {
            errorHandler.settle(message, failure).apply(message);
        } catch (RuntimeException inHandler) {
            inHandler.addSuppressed(failure);
            LOG.error("The error handler of {} failed; the message comes again", listener, inHandler);
            message.fail();
        }
    }
}
