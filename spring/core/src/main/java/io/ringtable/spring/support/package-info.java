/** Between Spring's messages and the SDK's: headers, payloads, and the errors of this module. */
package io.ringtable.spring.support;
