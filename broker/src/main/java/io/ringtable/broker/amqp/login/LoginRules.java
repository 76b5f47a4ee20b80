package io.ringtable.broker.amqp.login;

import io.ringtable.broker.config.SecurityProperties;

/**
 * Decides which users may log in, and what wrong passwords cost.
 *
 * @param bounds of failed and of remembered logins
 * @param authenticator null = clients connect without a login
 */
public record LoginRules(SecurityProperties bounds, Authenticator authenticator) {}
