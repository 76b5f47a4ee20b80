package io.ringtable.broker.config.startup;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/**
 * Has Spring Boot configure what the executable broker stands on: web server, JSON, metrics.
 * <p>
 * The class stands in a package of few classes on purpose. Spring Boot reads all classes of its package, and of those
 * below, at every start (ADR 44).
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class ApplicationConfiguration {}
