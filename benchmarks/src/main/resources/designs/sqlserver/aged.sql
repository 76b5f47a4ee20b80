-- aged:   statistics are those of the empty tables, and stay so.
-- Source: Kejser, "Table Pattern: Database Message Queues": "The statistics are NEVER up to date on such a table".
ALTER DATABASE CURRENT SET AUTO_CREATE_STATISTICS OFF;
ALTER DATABASE CURRENT SET AUTO_UPDATE_STATISTICS OFF;
