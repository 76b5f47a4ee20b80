package io.ringtable.broker.config;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Gives the size of the preallocated ring.
 *
 * @param capacity Slots of a new ring, a multiple of 8192. An existing ring keeps its own number and refuses another.
 */
@Validated
@ConfigurationProperties("ringtable.ring")
public record RingProperties(
        @DefaultValue("65536") @Within(min = "8192", max = "16777216")
        int capacity) {}
