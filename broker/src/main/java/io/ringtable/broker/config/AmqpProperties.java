package io.ringtable.broker.config;

import jakarta.validation.constraints.NotBlank;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Where AMQP clients are served, and the bounds of what one of them may ask for.
 *
 * @param host Name or address of the interface to listen on; another than loopback needs users.
 * @param port Port to listen on; 0 takes a free one, which the start-up line names.
 */
@Validated
@ConfigurationProperties("ringtable.amqp")
public record AmqpProperties(
        @DefaultValue("127.0.0.1") @NotBlank(message = "is empty: name the interface to listen on, such as 127.0.0.1")
        String host,

        @DefaultValue("5672") @Within(min = "0", max = "65535")
        int port) {}
