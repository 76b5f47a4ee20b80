/**
 * Holds what templates show: tables, facts, forms and pictures, made of what operations answer.
 * <p>
 * Thread: any; what is made is not changed. Must not know: which page shows it, who asks.
 */
package io.ringtable.broker.admin.console.view;
