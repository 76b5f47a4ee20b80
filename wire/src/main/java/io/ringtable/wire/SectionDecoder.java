package io.ringtable.wire;

import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBufferAllocator;
import org.apache.qpid.protonj2.codec.Decoder;
import org.apache.qpid.protonj2.codec.decoders.ProtonDecoderFactory;
import org.apache.qpid.protonj2.types.messaging.Section;

/**
 * Decodes sections of a message with protonj2's codec, once {@link Structure} has found their values within the bounds.
 * Replaces a codec that has met many unknown descriptors ({@link CodecMemory}), since the codec keeps them for good.
 * <p>
 * Thread: one at a time; reused from message to message.
 */
public final class SectionDecoder {
    private CodecMemory memory = new CodecMemory();
    private Structure structure = new Structure(memory);
    private Decoder decoder = ProtonDecoderFactory.create();

    /**
     * Decodes the section that was found last.
     *
     * @throws MalformedMessage if its values are beyond the bounds, before any of them is decoded
     * @throws RuntimeException if its values are not of the types that the section has
     */
    public Section<?> decode(Sections sections) throws MalformedMessage {
        if (memory.isHalfFull()) {
            memory = new CodecMemory();
            structure = new Structure(memory);
            decoder = ProtonDecoderFactory.create();
        }
        structure.checkSection(sections);
        // The codec copies whatever it keeps of the array.
        ProtonBuffer section = ProtonByteArrayBufferAllocator.wrapped(
                sections.bytes(), sections.start(), sections.next() - sections.start());
        return (Section<?>) decoder.readObject(section, decoder.getCachedDecoderState());
    }
}
