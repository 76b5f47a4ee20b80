package io.ringtable.spring.listener;

import io.ringtable.client.Address;
import io.ringtable.client.RingtableException;
import io.ringtable.client.SubscriptionOptions;
import io.ringtable.spring.internal.SpringErrors;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;

/**
 * Describes a listener: a method and where its messages come from. {@code @RingtableListener} makes one; code may make
 * others and register them with the {@link RingtableListenerEndpointRegistry}.
 *
 * @param id name of the listener, unique in the application
 * @param bean object whose method is called
 * @param method method to call
 * @param subscriptions where to receive, one for each address; their concurrency, prefetch and mode of acknowledgement
 *     mean nothing here
 * @param ackMode when a message counts as dealt with
 * @param batch whether the method takes a list of messages
 * @param replyTo address for what the method returns, where the message itself names none; may be null
 * @param settings what the listener has otherwise than its container factory says
 */
public record RingtableListenerEndpoint(
        String id,
        Object bean,
        Method method,
        List<SubscriptionOptions> subscriptions,
        AckMode ackMode,
        boolean batch,
        String replyTo,
        Settings settings) {

    /**
     * Holds what may come from the container factory: each component is null where the factory's value counts.
     *
     * @param concurrency consumers of each address
     * @param prefetch messages that each consumer may have, not yet settled, at least 1
     * @param batchSize most messages of one call in batches, at least 1
     * @param autoStartup whether the listener starts with the application
     */
    public record Settings(Concurrency concurrency, Integer prefetch, Integer batchSize, Boolean autoStartup) {

        /** Leaves everything to the container factory. */
        public static final Settings OF_FACTORY = new Settings(null, null, null, null);
    }

    /** @throws RingtableException RT-5040 if the parts do not fit together, RT-5045 if the method does not fit them */
    public RingtableListenerEndpoint {
        Objects.requireNonNull(bean, "bean");
        Objects.requireNonNull(method, "method");
        Objects.requireNonNull(ackMode, "ackMode");
        Objects.requireNonNull(settings, "settings");
        subscriptions = List.copyOf(subscriptions);
        if (id == null || id.isBlank()) {
            throw SpringErrors.setting("a listener's id is blank", "give one, or none");
        }
        String name = name(id, method);
        if (subscriptions.isEmpty()) {
            throw SpringErrors.setting(name + " has no address", "name at least one, as in queue://orders");
        }
        for (SubscriptionOptions from : subscriptions) {
            checkNamed(name, from, subscriptions.size());
            checkTransactional(name, ackMode, from);
        }
        MethodForm.check(name, method, ackMode, batch);
    }

    private static void checkNamed(String name, SubscriptionOptions from, int addresses) {
        if (addresses > 1 && from.subscriptionName().isPresent()) {
            throw SpringErrors.setting(
                    name + " has subscription '" + from.subscriptionName().get() + "' and " + addresses + " addresses",
                    "write a listener for each topic, as the broker keeps one topic for a name");
        }
    }

    private static void checkTransactional(String name, AckMode ackMode, SubscriptionOptions from) {
        boolean stored = from.address().kind() == Address.Kind.QUEUE
                || from.durableName().isPresent();
        if (ackMode == AckMode.TRANSACTIONAL && !stored) {
            throw SpringErrors.setting(
                    name + " has ackMode TRANSACTIONAL and " + from.address() + " without a durable subscription",
                    "name a subscription, as the database knows nothing of messages that are not stored");
        }
    }

    /** Names the listener in errors and logs. */
    String name() {
        return name(id, method);
    }

    private static String name(String id, Method method) {
        return "listener '" + id + "' (" + method.getDeclaringClass().getSimpleName() + "." + method.getName() + ")";
    }
}
