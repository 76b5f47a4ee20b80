/** Fails the primary of a database behind Patroni over, while the shards of other databases go on. */
package io.ringtable.acceptance.patroni;
