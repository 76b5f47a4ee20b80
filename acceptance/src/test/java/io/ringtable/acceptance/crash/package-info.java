/**
 * The broker is killed at random moments while JMS clients use what JMS has: transactions, delayed deliveries,
 * redeliveries, groups.
 */
package io.ringtable.acceptance.crash;
