-- Statistics are those of the empty tables, and stay so: SQLite collects none by itself.
-- Source: Kejser, "Table Pattern: Database Message Queues": "The statistics are NEVER up to date on such a table".
ANALYZE;
