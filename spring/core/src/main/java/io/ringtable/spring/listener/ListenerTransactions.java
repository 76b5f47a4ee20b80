package io.ringtable.spring.listener;

import io.ringtable.client.AlreadyAcknowledgedException;
import io.ringtable.client.jdbc.TransactionalAcknowledger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Acknowledges messages in the transaction that processes them.
 * <p>
 * Thread: any; each call has a transaction of its own.
 */
final class ListenerTransactions {
    private final TransactionTemplate transactions;
    private final TransactionalAcknowledger acknowledger;

    ListenerTransactions(PlatformTransactionManager manager, TransactionalAcknowledger acknowledger) {
        this.transactions = new TransactionTemplate(manager);
        this.acknowledger = acknowledger;
    }

    /**
     * Acknowledges first, so that a second consumer of the same message waits before it has done anything; then calls
     * the action and commits. Messages that an earlier transaction has acknowledged are left out, since their work is
     * done. The database ends a transaction in which one is found, and the others get another. Tells the broker at the
     * end, which frees the messages sooner than the database would.
     *
     * @param action may throw, which rolls back
     */
    void process(List<ListenerCall.Item> items, Consumer<List<ListenerCall.Item>> action) {
        List<ListenerCall.Item> left = new ArrayList<>(items);
        while (!left.isEmpty()) {
            try {
                transactions.executeWithoutResult(status -> {
                    left.forEach(item -> acknowledger.acknowledge(item.message()));
                    action.accept(left);
                });
                left.forEach(item -> item.message().acknowledge());
                return;
            } catch (RuntimeException failure) {
                ListenerCall.Item done = doneBefore(left, failure).orElseThrow(() -> failure);
                done.message().acknowledge();
                left.remove(done);
            }
        }
    }

    private static Optional<ListenerCall.Item> doneBefore(List<ListenerCall.Item> items, Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof AlreadyAcknowledgedException known) {
                return items.stream()
                        .filter(item -> item.message().deliveryTag().equals(known.deliveryTag()))
                        .findFirst();
            }
        }
        return Optional.empty();
    }
}
