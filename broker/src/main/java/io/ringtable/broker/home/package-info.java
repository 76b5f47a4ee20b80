/**
 * Brings clients to several shards of one process as if they were one. Each call goes to the home of the address that
 * it concerns.
 */
package io.ringtable.broker.home;
