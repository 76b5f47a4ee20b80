package io.ringtable.spring.annotation;

import io.ringtable.client.Address;
import io.ringtable.client.RingtableException;
import io.ringtable.client.SubscriptionOptions;
import io.ringtable.spring.internal.SpringErrors;
import io.ringtable.spring.listener.Concurrency;
import io.ringtable.spring.listener.RingtableListenerEndpoint;
import java.lang.reflect.Method;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.messaging.handler.annotation.SendTo;
import org.springframework.util.StringUtils;
import org.springframework.util.StringValueResolver;

/**
 * Reads a {@link RingtableListener} into an endpoint.
 * <p>
 * Thread: any; holds nothing but the resolver of placeholders.
 */
final class ListenerAnnotationReader {
    private static final String NUMBER = "use a whole number from 1";
    private static final String TIME = "use a time such as 2026-11-21T10:00:00Z, or a duration such as 2h or PT2H";

    private final StringValueResolver values;

    ListenerAnnotationReader(StringValueResolver values) {
        this.values = values;
    }

    /**
     * @param defaultId counts if the annotation has no id
     * @throws RingtableException RT-5040 if an attribute cannot work, RT-5045 if the method does not fit
     */
    RingtableListenerEndpoint read(Object bean, Method method, RingtableListener listener, String defaultId) {
        String id = StringUtils.hasText(listener.id()) ? resolve(listener.id()) : defaultId;
        String name = "listener '" + id + "'";
        if (!listener.batch() && StringUtils.hasText(listener.batchSize())) {
            throw SpringErrors.setting(
                    name + " has batchSize '" + listener.batchSize() + "' without batch",
                    "set batch = true, or leave batchSize out");
        }
        return new RingtableListenerEndpoint(
                id,
                bean,
                method,
                Arrays.stream(listener.addresses())
                        .map(address -> subscription(name, resolve(address), listener))
                        .toList(),
                listener.ackMode(),
                listener.batch(),
                replyTo(name, method),
                new RingtableListenerEndpoint.Settings(
                        attribute(name, "concurrency", listener.concurrency(), Concurrency::of, Concurrency.CURE),
                        attribute(name, "prefetch", listener.prefetch(), ListenerAnnotationReader::positive, NUMBER),
                        attribute(name, "batchSize", listener.batchSize(), ListenerAnnotationReader::positive, NUMBER),
                        attribute(
                                name,
                                "autoStartup",
                                listener.autoStartup(),
                                ListenerAnnotationReader::bool,
                                "use true or false")));
    }

    private SubscriptionOptions subscription(String name, String address, RingtableListener listener) {
        try {
            SubscriptionOptions options = named(name, SubscriptionOptions.to(Address.of(address)), listener);
            Instant since = attribute(name, "since", listener.since(), ListenerAnnotationReader::time, TIME);
            if (since != null) {
                options = options.since(since);
            }
            String selector = resolve(listener.selector());
            return StringUtils.hasText(selector) ? options.selector(selector) : options;
        } catch (RingtableException refused) {
            throw SpringErrors.isOurs(refused)
                    ? refused
                    : SpringErrors.setting(
                            name + " cannot receive from '" + address + "'", refused.getMessage(), refused);
        }
    }

    private SubscriptionOptions named(String name, SubscriptionOptions options, RingtableListener listener) {
        String subscription = resolve(listener.subscription());
        if (!StringUtils.hasText(subscription)) {
            if (listener.shared() || !listener.durable()) {
                throw SpringErrors.setting(
                        name + " has shared=" + listener.shared() + ", durable=" + listener.durable()
                                + " and no subscription",
                        "name the subscription, or leave both out");
            }
            return options;
        }
        if (listener.shared()) {
            return listener.durable() ? options.sharedDurable(subscription) : options.shared(subscription);
        }
        if (!listener.durable()) {
            throw SpringErrors.setting(
                    name + " has subscription '" + subscription + "', neither durable nor shared",
                    "leave the name out, or set shared = true");
        }
        return options.durable(subscription);
    }

    private String replyTo(String name, Method method) {
        SendTo sendTo = AnnotatedElementUtils.findMergedAnnotation(method, SendTo.class);
        if (sendTo == null) {
            return null;
        }
        List<String> addresses =
                Arrays.stream(sendTo.value()).map(this::resolve).toList();
        if (addresses.size() != 1 || !StringUtils.hasText(addresses.get(0))) {
            throw SpringErrors.setting(name + " has @SendTo(" + addresses + ")", "name exactly one address");
        }
        return addresses.get(0);
    }

    /** @return null if the attribute is empty */
    private <T> T attribute(String name, String attribute, String text, Function<String, T> read, String cure) {
        String value = resolve(text);
        if (!StringUtils.hasText(value)) {
            return null;
        }
        try {
            return read.apply(value.strip());
        } catch (IllegalArgumentException | DateTimeException | RingtableException refused) {
            throw SpringErrors.setting(name + " has " + attribute + " '" + value + "'", cure, refused);
        }
    }

    private String resolve(String text) {
        String value = values.resolveStringValue(text);
        return value == null ? "" : value;
    }

    private static Integer positive(String text) {
        int value = Integer.parseInt(text);
        if (value < 1) {
            throw new IllegalArgumentException();
        }
        return value;
    }

    private static Boolean bool(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException();
        };
    }

    /** Reads a time, or a duration before now. */
    private static Instant time(String text) {
        if (Character.isDigit(text.charAt(0)) && text.indexOf('T') > 0) {
            return OffsetDateTime.parse(text).toInstant();
        }
        Duration before = DurationFormatterUtils.detectAndParse(text);
        if (before.isNegative()) {
            throw new IllegalArgumentException();
        }
        return Instant.now().minus(before);
    }
}
