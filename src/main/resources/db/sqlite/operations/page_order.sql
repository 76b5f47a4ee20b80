-- page_order: pages of each table and index, how full they are, and how many follow their neighbour in the file.
-- Called by:   people; needs a sqlite3 with DBSTAT_VTAB (most have it); best on a copy (see db/README.md).
-- Locks:       none; reads one snapshot of the log, for as long as reading the whole file takes.
-- Access path: dbstat: every page of the file.
-- Changes:     nothing.
-- Look for:    slot with in_order far below pages: the pages that a checkpoint copies have no neighbours and go out one
--              by one. unused_bytes of slot: rows that large bodies have stretched; reclaim lays them anew by and by.
SELECT p.name AS table_or_index,
       count(*) AS pages,
       count(*) FILTER (WHERE p.pageno = p.predecessor + 1) AS in_order,
       sum(p.payload) AS content_bytes,
       sum(p.unused) AS unused_bytes,
       max(p.mx_payload) AS longest_row
FROM (SELECT s.name, s.pageno, s.payload, s.unused, s.mx_payload,
             lag(s.pageno) OVER (PARTITION BY s.name ORDER BY s.path) AS predecessor
      FROM dbstat AS s
      WHERE s.pagetype = 'leaf') AS p
GROUP BY p.name
ORDER BY pages DESC, p.name;
