package io.ringtable.spring.annotation;

import io.ringtable.spring.listener.AckMode;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;
import org.springframework.messaging.handler.annotation.MessageMapping;

/**
 * Has the method process the messages of a queue or of a topic's subscription.
 *
 * <pre>{@code
 * @RingtableListener("queue://orders")
 * void ship(Order order) { ... }
 *
 * @RingtableListener(addresses = "topic://prices", subscription = "index", shared = true, concurrency = "1-4")
 * void index(Price price, @Header("market") String market) { ... }
 * }</pre>
 *
 * Parameters may be the payload (by a message converter; {@code @Payload} says so), {@code @Header}, {@code @Headers},
 * and Spring's {@link org.springframework.messaging.Message}. Other parameters may be the SDK's
 * {@link io.ringtable.client.ReceivedMessage}, an {@link io.ringtable.spring.listener.Acknowledgment}, and with
 * {@link #batch} a List of payloads or messages. The value that the method returns is sent to the message's reply-to
 * address, or else to that of {@code @SendTo}.
 * <p>
 * All texts may have placeholders and expressions. Needs {@link EnableRingtable}. A setting that cannot work ends the
 * start of the application with its code; docs/spring-sdk.md lists them.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@MessageMapping
@Repeatable(RingtableListeners.class)
public @interface RingtableListener {

    /** Names the addresses; alias of {@link #addresses}. */
    @AliasFor("addresses")
    String[] value() default {};

    /** Names the addresses: {@code queue://orders}, {@code topic://prices}, or the plain name of a queue. */
    @AliasFor("value")
    String[] addresses() default {};

    /** Names the listener, uniquely in the application; default: its bean and method. */
    String id() default "";

    /**
     * Names the subscription of a topic, which then collects messages while the application is away. Unless it is
     * {@link #shared}, it belongs to the client's id. Without a name the listener gets what is published while it runs.
     */
    String subscription() default "";

    /** Says whether the named subscription collects messages while nobody is there; false for shared ones alone. */
    boolean durable() default true;

    /** Says whether consumers of any application that name the subscription share its messages. */
    boolean shared() default false;

    /**
     * Sets the number of consumers for each address, or a range such as {@code 1-4}; default: the container factory's.
     */
    String concurrency() default "";

    /** Says when a message counts as dealt with. */
    AckMode ackMode() default AckMode.AUTO;

    /** Says whether the method takes a List of messages. */
    boolean batch() default false;

    /** Sets the most messages of one call, with {@link #batch}; default: the container factory's. */
    String batchSize() default "";

    /** Sets how many messages each consumer may have, not yet settled; default: the container factory's. */
    String prefetch() default "";

    /**
     * Lets a durable subscription begin in the past when it is created. The value is a time such as
     * {@code 2026-11-21T10:00:00Z}. Or it says how long before the start of the application, such as {@code 2h} or
     * {@code PT2H}.
     */
    String since() default "";

    /** Chooses messages, as in JMS: {@code country = 'PT'}. */
    String selector() default "";

    /** Says whether to start with the application, {@code true} or {@code false}; default: the container factory's. */
    String autoStartup() default "";

    /** Names the bean that makes the container; default {@code ringtableListenerContainerFactory}. */
    String containerFactory() default "";
}
