/**
 * Serves the packages of this module, and not applications: errors with their codes, the reading of payloads.
 * <p>
 * Thread: any; nothing here holds state.
 */
package io.ringtable.spring.internal;
