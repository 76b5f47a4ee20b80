-- Options of the database, each with its cost. The broker works with each of them on or off, except the last one.

-- Readers beside a flush then wait for nobody, operators' queries disturb nobody. Each claim copies the row that it
-- overwrites into the version store (tempdb; about 400 bytes where messages have 300): measure before switching it on
-- under a high rate. Needs the database for itself for a moment: stop the broker first.
ALTER DATABASE ringtable SET READ_COMMITTED_SNAPSHOT ON;
GO
-- A page that the disk has damaged is noticed when it is read (errors 824, 605: RT-3016, the shard stops).
ALTER DATABASE ringtable SET PAGE_VERIFY CHECKSUM;
GO
-- Checkpoints that write a little all the time instead of much at once; 60 seconds is the default of new databases.
ALTER DATABASE ringtable SET TARGET_RECOVERY_TIME = 60 SECONDS;
GO
-- Never: a start begun at the wrong moment finds the database closed.
ALTER DATABASE ringtable SET AUTO_CLOSE OFF;
ALTER DATABASE ringtable SET AUTO_SHRINK OFF;
GO
-- Delayed durability stays OFF. FORCED would let a commit return before its log is on disk: messages that a publisher
-- was told are accepted could be lost. The broker refuses to start then (RT-3007), unless
-- ringtable.store.delayed-durability=true; it says so at every start (RT-3031), in its health and in the metric
-- ringtable_store_delayed_durability. ALLOWED changes nothing: no commit of ours asks.
ALTER DATABASE ringtable SET DELAYED_DURABILITY = DISABLED;
GO
