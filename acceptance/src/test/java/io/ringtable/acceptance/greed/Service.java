package io.ringtable.acceptance.greed;

/**
 * Holds the service that the honest client got in a stretch of time.
 *
 * @param send from the moment a message was due until it was sent: the client's own delay, or a broker's without credit
 *     for it
 * @param endToEnd from the moment a message was due until it had come
 * @param accept from that moment until it was accepted
 * @param rate messages that came in this stretch, as a share of those that were due in it
 * @param missing messages that were due in this stretch and have never come
 */
record Service(Latencies send, Latencies endToEnd, Latencies accept, double rate, long missing) {}
