package io.ringtable.broker.config;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * Says when all publishers are held back because the broker runs short of heap or disk.
 *
 * @param heapPercent Share of the heap, in per cent after a collection, at which all publishers are held back.
 *     Publishers go on when it is 10 lower.
 * @param freeDiskBytes Free bytes on the disk of the embedded database below which all publishers are held back.
 *     Publishers go on when there is a quarter more; 0 = the database's own errors decide, as they do on servers.
 */
@Validated
@ConfigurationProperties("ringtable.watermark")
public record WatermarkProperties(
        @DefaultValue("85") @Within(min = "20", max = "99") int heapPercent,

        @DefaultValue("16MB") @Within(min = "0B", max = "1000TB")
        DataSize freeDiskBytes) {}
