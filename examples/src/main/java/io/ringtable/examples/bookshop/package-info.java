/**
 * Runs a bookshop on JMS, with nothing but Spring and {@code jakarta.jms}; the README of this module explains it.
 * <p>
 * Thread: the main thread orders; listeners run on the threads of their containers, one at a time in each.
 */
package io.ringtable.examples.bookshop;
