/** What the container image adds to the broker. */
package io.ringtable.containers;
