/**
 * Kills, stops and freezes nodes of a cluster while clients of several languages work at all of them.
 */
package io.ringtable.acceptance.cluster;
