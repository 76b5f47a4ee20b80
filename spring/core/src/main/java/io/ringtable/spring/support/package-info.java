/**
 * Between Spring's messages and the SDK's: headers, payloads, and the errors of this module.
 * <p>
 * Thread: any; nothing here holds state.
 */
package io.ringtable.spring.support;
