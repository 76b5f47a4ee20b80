package io.ringtable.broker.amqp.frames;

import java.util.Map;
import java.util.TreeMap;

/**
 * The unsettled deliveries of one session and direction, as bits by delivery-id (AMQP 1.0 section 2.8.7), so that a range
 * of ids costs what is unsettled in it, however wide it is.
 * <p>
 * Thread: the connection's event loop.
 */
final class UnsettledIds {
    /** {@link #next} has found none. */
    public static final long NONE = -1;

    private static final int BLOCK_SHIFT = 12; // 4,096 ids, half a kilobyte
    private static final int WORDS = 1 << BLOCK_SHIFT - 6;

    private static final class Block {
        private final int number;
        private final long[] words = new long[WORDS];
        private int count;

        Block(int number) {
            this.number = number;
        }
    }

    private final TreeMap<Integer, Block> blocks = new TreeMap<>(); // those with an unsettled id, and the latest one
    private Block latest; // of the last id that was added: ids come in order

    /** @param id a serial number as the frame has it; nothing changes if it is there */
    public void add(int id) {
        int number = id >>> BLOCK_SHIFT;
        if (latest == null || latest.number != number) {
            Block before = latest;
            latest = blocks.computeIfAbsent(number, Block::new);
            if (before != null && before.count == 0) {
                blocks.remove(before.number);
            }
        }
        int word = wordOf(id);
        long bit = 1L << id;
        if ((latest.words[word] & bit) == 0) {
            latest.words[word] |= bit;
            latest.count++;
        }
    }

    /** Nothing changes if it is not there. */
    public void remove(int id) {
        int number = id >>> BLOCK_SHIFT;
        Block block = latest != null && latest.number == number ? latest : blocks.get(number);
        if (block == null) {
            return;
        }
        int word = wordOf(id);
        long bit = 1L << id;
        if ((block.words[word] & bit) != 0) {
            block.words[word] &= ~bit;
            if (--block.count == 0 && block != latest) {
                blocks.remove(number);
            }
        }
    }

    /**
     * The first unsettled one of a range that does not wrap.
     *
     * @param first 0 to {@code last}
     * @param last at most 2^32 - 1
     * @return {@link #NONE} if there is none
     */
    public long next(long first, long last) {
        if (first > last) {
            return NONE;
        }
        Map.Entry<Integer, Block> entry = blocks.ceilingEntry((int) (first >>> BLOCK_SHIFT));
        for (; entry != null; entry = blocks.higherEntry(entry.getKey())) {
            long begin = (long) entry.getKey() << BLOCK_SHIFT;
            if (begin > last) {
                return NONE;
            }
            long id = nextIn(entry.getValue(), begin, Math.max(first, begin));
            if (id != NONE) {
                return id <= last ? id : NONE;
            }
        }
        return NONE;
    }

    private static long nextIn(Block block, long begin, long first) {
        int word = wordOf((int) first);
        long bits = block.words[word] & -1L << first;
        while (bits == 0) {
            if (++word == WORDS) {
                return NONE;
            }
            bits = block.words[word];
        }
        return begin + word * (long) Long.SIZE + Long.numberOfTrailingZeros(bits);
    }

    private static int wordOf(int id) {
        return (id & (1 << BLOCK_SHIFT) - 1) >>> 6;
    }
}
