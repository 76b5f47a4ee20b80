/**
 * Containers of listeners: their links to the broker, their threads, and what happens to a message whose method fails.
 */
package io.ringtable.spring.listener;
