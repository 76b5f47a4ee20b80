/**
 * Stands between Spring's messages and the SDK's: headers and payloads.
 * <p>
 * Thread: any; nothing here holds state.
 */
package io.ringtable.spring.support;
