/**
 * Gives users, rules and roles that administrators set at run time their meaning.
 * <p>
 * Thread: see each class. Must not know: how settings are stored, links, JDBC.
 */
package io.ringtable.broker.setting.access;
