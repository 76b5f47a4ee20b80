package io.ringtable.broker.amqp.management;

/** Takes answers to where a request wants them. Thread: the connection's event loop. */
interface ReplyWay {
    /** Returns the address that answers have in {@code to}; null if they have none. */
    String to();

    /** Returns the most bytes of an answer's message. */
    int bytesMax();

    /**
     * Sends an answer, or drops it where it cannot go.
     *
     * @param done runs once, when the way holds nothing of the answer any more
     */
    void send(byte[] reply, Runnable done);
}
