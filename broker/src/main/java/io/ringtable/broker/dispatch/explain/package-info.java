/**
 * Says why a subscription is given nothing, and why one message is not given now: one reason, in a sentence, with a
 * cure. Asks the parts of the dispatcher, and changes nothing.
 * <p>
 * Thread: {@code dispatcher} answers, in a bounded slice; any asks. Must not know: the store, delivery, redelivery
 * itself, connections.
 */
package io.ringtable.broker.dispatch.explain;
