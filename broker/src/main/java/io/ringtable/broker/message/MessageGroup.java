package io.ringtable.broker.message;

/**
 * Messages of one group go to one consumer, in order (JMSXGroupID and JMSXGroupSeq, Jakarta Messaging 3.1 section 3.5.9).
 *
 * @param id of the group within its address
 * @param last whether the group is closed behind this message, and free for another consumer
 */
public record MessageGroup(String id, boolean last) {}
