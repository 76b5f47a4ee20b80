package io.ringtable.spring.listener;

import io.micrometer.observation.ObservationRegistry;
import io.ringtable.client.Address;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.RingtableException;
import io.ringtable.client.SubscriptionOptions;
import io.ringtable.client.jdbc.TransactionalAcknowledger;
import io.ringtable.spring.RingtableOperations;
import io.ringtable.spring.RingtableTemplate;
import io.ringtable.spring.internal.SpringErrors;
import io.ringtable.spring.internal.consume.ConsumerGroup;
import io.ringtable.spring.internal.consume.ContainerSettings;
import io.ringtable.spring.support.RingtableMessageConverters;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.core.task.TaskExecutor;
import org.springframework.messaging.converter.MessageConverter;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.validation.Validator;

/**
 * Makes the containers of listeners, with the settings that the listeners do not have themselves. An application may
 * have several, and listeners name theirs by {@code containerFactory}. Its settings are made before it is used.
 */
public class RingtableListenerContainerFactory implements BeanFactoryAware {

    /** The name of the bean that listeners use unless they name another one. */
    public static final String BEAN_NAME = "ringtableListenerContainerFactory";

    public static final int PREFETCH_DEFAULT = 100;

    public static final int BATCH_SIZE_DEFAULT = 100;

    private final RingtableClient client;
    private TaskExecutor taskExecutor;
    private MessageConverter messageConverter = RingtableMessageConverters.standard();
    private Validator validator;
    private List<HandlerMethodArgumentResolver> argumentResolvers = List.of();
    private RingtableErrorHandler errorHandler = RingtableErrorHandler.DEFAULT;
    private ObservationRegistry observations = ObservationRegistry.NOOP;
    private RingtableOperations replyTemplate;
    private ListenerTransactions transactions;
    private Concurrency concurrency = Concurrency.ONE;
    private int prefetch = PREFETCH_DEFAULT;
    private int batchSize = BATCH_SIZE_DEFAULT;
    private boolean autoStartup = true;
    private Duration shutdownTimeout = Duration.ofSeconds(20);
    private Duration recoveryInterval = Duration.ofSeconds(5);
    private Duration scaleUpAfter = Duration.ofSeconds(1);
    private Duration scaleDownAfter = Duration.ofSeconds(10);
    private BeanFactory beanFactory;

    /** @param client whose connection the listeners use; a durable subscription that is not shared needs its id */
    public RingtableListenerContainerFactory(RingtableClient client) {
        this.client = Objects.requireNonNull(client, "client");
    }

    /**
     * Sets who runs the consumers, each as one task for as long as it lives. A pool needs a thread for each consumer of
     * all its listeners. The default is a new thread for each consumer, named after its listener; for virtual threads
     * hand in a {@link org.springframework.core.task.VirtualThreadTaskExecutor}.
     */
    public void setTaskExecutor(TaskExecutor executor) {
        taskExecutor = executor;
    }

    /** Sets how payloads become arguments; default {@link RingtableMessageConverters#standard()}. */
    public void setMessageConverter(MessageConverter converter) {
        messageConverter = Objects.requireNonNull(converter, "converter");
    }

    /** Sets who checks payloads of parameters with {@code @Valid} or {@code @Validated}; default nobody. */
    public void setValidator(Validator validator) {
        this.validator = validator;
    }

    /** Sets resolvers for arguments of the application's own kinds, asked before the one for payloads. */
    public void setArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
        argumentResolvers = List.copyOf(resolvers);
    }

    /** Sets who decides about messages whose method failed; default {@link RingtableErrorHandler#DEFAULT}. */
    public void setErrorHandler(RingtableErrorHandler handler) {
        errorHandler = Objects.requireNonNull(handler, "handler");
    }

    /** Sets who observes the processing; default nobody. */
    public void setObservationRegistry(ObservationRegistry registry) {
        observations = Objects.requireNonNull(registry, "registry");
    }

    /**
     * Sets who sends what methods return; default a {@link RingtableTemplate} on the same client. Mode TRANSACTIONAL
     * sends replies with {@link RingtableOperations#convertAndSendInTransaction}, so the template needs a transactional
     * publisher there.
     */
    public void setReplyTemplate(RingtableOperations template) {
        replyTemplate = template;
    }

    /**
     * Sets what listeners in mode TRANSACTIONAL work with.
     *
     * @param manager begins the transaction, on the broker's own database
     * @param acknowledger acknowledges in it: made on the same data source
     */
    public void setTransactions(PlatformTransactionManager manager, TransactionalAcknowledger acknowledger) {
        transactions = new ListenerTransactions(
                Objects.requireNonNull(manager, "manager"), Objects.requireNonNull(acknowledger, "acknowledger"));
    }

    /** Sets how many consumers each address of a listener has; default 1. */
    public void setConcurrency(Concurrency value) {
        concurrency = Objects.requireNonNull(value, "concurrency");
    }

    /**
     * Sets how many messages each consumer may have, not yet settled; default 100. A lower number shares long work more
     * evenly, 1 perfectly.
     *
     * @throws RingtableException RT-5040 if it is below 1
     */
    public void setPrefetch(int messages) {
        prefetch = atLeastOne("prefetch", messages);
    }

    /**
     * Sets how many messages a method gets in one call at most, where it takes batches; default 100.
     *
     * @throws RingtableException RT-5040 if it is below 1
     */
    public void setBatchSize(int messages) {
        batchSize = atLeastOne("batchSize", messages);
    }

    /** Sets whether listeners start with the application; default true. */
    public void setAutoStartup(boolean value) {
        autoStartup = value;
    }

    /**
     * Sets how long a stop waits for calls that are under way; default 20 s.
     *
     * @throws RingtableException RT-5040 if it is negative
     */
    public void setShutdownTimeout(Duration timeout) {
        shutdownTimeout = notNegative("shutdownTimeout", timeout);
    }

    /**
     * Sets the pause before a lost subscription is opened again, and after no transaction could begin; default 5 s.
     *
     * @throws RingtableException RT-5040 if it is negative
     */
    public void setRecoveryInterval(Duration interval) {
        recoveryInterval = notNegative("recoveryInterval", interval);
    }

    /**
     * Sets when the number of consumers changes within the concurrency's range.
     *
     * @param upAfter how long one consumer must have had messages without waiting until another one joins; default 1 s
     * @param downAfter how long a consumer must have had no message until it leaves; default 10 s
     * @throws RingtableException RT-5040 if one is negative
     */
    public void setScaling(Duration upAfter, Duration downAfter) {
        scaleUpAfter = notNegative("scaling upAfter", upAfter);
        scaleDownAfter = notNegative("scaling downAfter", downAfter);
    }

    @Override
    public void setBeanFactory(BeanFactory factory) {
        beanFactory = factory;
    }

    /**
     * Makes the container of a listener, not started.
     *
     * @throws RingtableException RT-5040 if settings do not fit together
     * @throws RingtableException RT-5042 if the listener is TRANSACTIONAL and there are no transactions
     * @throws RingtableException RT-5043 if its replies could not be part of them
     * @throws RingtableException RT-5045 if the method does not fit
     */
    public RingtableListenerContainer createContainer(RingtableListenerEndpoint endpoint) {
        String name = endpoint.name();
        boolean transactional = endpoint.ackMode() == AckMode.TRANSACTIONAL;
        if (transactional && transactions == null) {
            throw SpringErrors.noTransactions(name);
        }
        checkReplies(endpoint, transactional);
        RingtableListenerEndpoint.Settings own = endpoint.settings();
        Concurrency consumers = Optional.ofNullable(own.concurrency()).orElse(concurrency);
        int batch = endpoint.batch() ? Optional.ofNullable(own.batchSize()).orElse(batchSize) : 1;
        // A second batch may be on its way while the first is processed.
        int credit = Math.max(Optional.ofNullable(own.prefetch()).orElse(prefetch), endpoint.batch() ? 2 * batch : 1);
        ContainerSettings settings = new ContainerSettings(
                client,
                taskExecutor == null ? threadsNamedAfter(endpoint) : taskExecutor,
                consumers.least(),
                consumers.most(),
                batch,
                shutdownTimeout,
                recoveryInterval,
                scaleUpAfter,
                scaleDownAfter);
        MessageProcessor processor = new MessageProcessor(
                name,
                endpoint.ackMode(),
                call(endpoint),
                new ReplySender(name, replyTemplate(), endpoint.replyTo(), transactional),
                transactions,
                errorHandler,
                observations);
        List<ConsumerGroup> groups = endpoint.subscriptions().stream()
                .peek(from -> checkCompeting(name, from, consumers))
                .map(from -> new ConsumerGroup(name, from.prefetch(credit), settings, processor))
                .toList();
        return new RingtableListenerContainer(
                endpoint, settings, Optional.ofNullable(own.autoStartup()).orElse(autoStartup), groups);
    }

    /**
     * Checks that replies can be part of the transaction. Every reply would fail otherwise, and make a dead letter of
     * its request.
     */
    private void checkReplies(RingtableListenerEndpoint endpoint, boolean transactional) {
        boolean replies = endpoint.method().getReturnType() != void.class;
        if (transactional
                && replies
                && replyTemplate() instanceof RingtableTemplate template
                && !template.hasTransactionalPublisher()) {
            throw SpringErrors.noTransactionalPublisher("the reply of " + endpoint.name());
        }
    }

    private ListenerCall call(RingtableListenerEndpoint endpoint) {
        ListenerMethodFactory methods = new ListenerMethodFactory(argumentResolvers);
        methods.setMessageConverter(messageConverter);
        if (validator != null) {
            methods.setValidator(validator);
        }
        if (beanFactory != null) {
            methods.setBeanFactory(beanFactory);
        }
        methods.afterPropertiesSet();
        return new ListenerCall(
                endpoint.name(),
                methods.create(endpoint.bean(), endpoint.method(), endpoint.name()),
                endpoint.batch() ? BatchPayload.of(endpoint.method(), messageConverter) : null,
                endpoint.ackMode() == AckMode.MANUAL);
    }

    private RingtableOperations replyTemplate() {
        if (replyTemplate == null) {
            replyTemplate = new RingtableTemplate(client);
        }
        return replyTemplate;
    }

    private static TaskExecutor threadsNamedAfter(RingtableListenerEndpoint endpoint) {
        return new SimpleAsyncTaskExecutor("ringtable-" + endpoint.id() + "-");
    }

    /**
     * Checks that consumers of a topic share a subscription. Each would else get every message, or take the name from
     * the other.
     */
    private static void checkCompeting(String listener, SubscriptionOptions from, Concurrency consumers) {
        if (consumers.most() > 1 && from.address().kind() == Address.Kind.TOPIC && !from.isShared()) {
            throw SpringErrors.setting(
                    listener + " has concurrency " + consumers + " at " + from.address() + ", which it does not share",
                    "use a subscription with shared = true, or concurrency 1");
        }
    }

    private static int atLeastOne(String name, int value) {
        if (value < 1) {
            throw SpringErrors.setting(name + "=" + value + " < 1", "use 1 or more");
        }
        return value;
    }

    private static Duration notNegative(String name, Duration value) {
        if (value.isNegative()) {
            throw SpringErrors.setting(name + "=" + value, "use zero or more");
        }
        return value;
    }
}
