/**
 * Freezes brokers, connections to the database and the database itself, which go on later. A node that another one has
 * replaced meanwhile must not answer.
 */
package io.ringtable.acceptance.freeze;
