package io.ringtable.broker.amqp.login;

import io.ringtable.broker.config.SecurityProperties;

/**
 * Says who may log in, and what wrong passwords cost.
 *
 * @param bounds of failed and of remembered logins
 * @param authenticator null = everybody may connect
 */
public record LoginRules(SecurityProperties bounds, Authenticator authenticator) {}
