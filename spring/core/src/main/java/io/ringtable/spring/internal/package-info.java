/**
 * What the packages of this module share and applications do not use: errors with their codes, the reading of payloads.
 * <p>
 * Thread: any; nothing here holds state.
 */
package io.ringtable.spring.internal;
