/**
 * A bookshop on JMS, with nothing but Spring and {@code jakarta.jms}: what it shows stands in the README of this module.
 * <p>
 * Thread: the main thread orders; listeners run on the threads of their containers, one at a time in each.
 */
package io.ringtable.examples.bookshop;
