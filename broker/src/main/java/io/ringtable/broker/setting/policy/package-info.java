/**
 * Gives the policies that administrators set at run time their meaning.
 * <p>
 * Thread: see each class. Must not know: how settings are stored, subscriptions, AMQP, JDBC.
 */
package io.ringtable.broker.setting.policy;
