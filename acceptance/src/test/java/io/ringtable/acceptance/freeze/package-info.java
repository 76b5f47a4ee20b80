/**
 * Brokers, connections to the database and the database itself are frozen and go on later: a node that another one has
 * replaced meanwhile must not answer.
 */
package io.ringtable.acceptance.freeze;
