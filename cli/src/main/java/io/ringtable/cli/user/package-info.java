/**
 * Administers who may do what: users, rules and roles, and what a configuration stores of a password.
 * <p>
 * Thread: the command's.
 */
package io.ringtable.cli.user;
